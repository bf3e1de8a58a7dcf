#!/bin/sh
# SPDX-License-Identifier: MIT
# training.sh ROWS [REPEAT]: a deterministic SQL script for the sqlite3 shell, about orders in a shop. Used to
# record a profile. evaluation.sh is another one, with other tables and other kinds of queries.
rows=${1:-2000}
repeat=${2:-1}
session() {
  cat <<END
.bail on
PRAGMA journal_mode = MEMORY;
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT, credit INTEGER);
CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, price REAL);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER, item INTEGER, amount INTEGER,
  day TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows / 10)
INSERT INTO customer SELECT i, 'customer ' || (i * 7919 % 10007),
  'city' || (i * 31 % 47), i * 104729 % 5000 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows / 20)
INSERT INTO item SELECT i, printf('item %05d of %s', i, hex(i * 2654435761 % 65536)),
  (i * 7349 % 10000) / 100.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows)
INSERT INTO purchase SELECT i, 1 + i * 48271 % ($rows / 10), 1 + i * 16807 % ($rows / 20),
  1 + i % 9, date('2020-01-01', (i * 37 % 1400) || ' days') FROM n;
COMMIT;
CREATE INDEX purchase_customer ON purchase(customer);
CREATE INDEX purchase_day ON purchase(day, item);
SELECT count(*), sum(amount) FROM purchase;
SELECT city, count(*), round(sum(amount * price), 2) FROM purchase
  JOIN customer ON customer.id = purchase.customer JOIN item ON item.id = purchase.item
  GROUP BY city ORDER BY 3 DESC LIMIT 20;
SELECT name, count(*) AS n FROM customer JOIN purchase ON purchase.customer = customer.id
  WHERE credit BETWEEN 100 AND 2500 GROUP BY customer.id HAVING n > 8 ORDER BY n DESC, name LIMIT 30;
SELECT substr(day, 1, 7) AS month, sum(amount), max(amount) FROM purchase
  WHERE day >= '2021-03-01' AND day < '2023-01-01' GROUP BY month ORDER BY month;
SELECT count(*) FROM item WHERE title LIKE '%A_' OR title LIKE 'item 000%';
SELECT count(DISTINCT item), count(DISTINCT customer) FROM purchase WHERE amount > 3;
SELECT title, (SELECT sum(amount) FROM purchase WHERE purchase.item = item.id AND amount > 6) AS s
  FROM item WHERE price > 90 AND id < 60 ORDER BY s DESC, title LIMIT 15;
UPDATE purchase SET amount = amount + 1 WHERE day BETWEEN '2020-06-01' AND '2021-06-01';
UPDATE customer SET name = upper(name), credit = credit / 2 WHERE id % 3 = 0;
DELETE FROM purchase WHERE id % 11 = 4;
SELECT a.name, b.name FROM customer a, customer b
  WHERE a.id < 60 AND a.city = b.city AND a.credit < b.credit ORDER BY 1, 2 LIMIT 25;
SELECT customer, amount, day FROM purchase ORDER BY amount DESC, day, id LIMIT 40;
SELECT sum(amount), min(day), max(day), total(length(day)) FROM purchase;
SELECT name, city FROM customer ORDER BY name, city DESC LIMIT 20;
SELECT title FROM item WHERE title GLOB '*[0-4][A-F]*' ORDER BY substr(title, 15), title LIMIT 20;
SELECT strftime('%m', day) AS month, count(*) FROM purchase GROUP BY month;
SELECT city, name, credit, row_number() OVER (PARTITION BY city ORDER BY credit DESC, name) AS place
  FROM customer WHERE credit > 4000 ORDER BY place, city LIMIT 30;
SELECT max(total) FROM (SELECT sum(amount) OVER (ORDER BY day ROWS 7 PRECEDING) AS total
  FROM purchase WHERE item < 40);
WITH RECURSIVE chain(id, hops) AS (
  SELECT 1, 0 UNION SELECT item, hops + 1 FROM chain JOIN purchase ON customer = chain.id
  WHERE hops < 3)
SELECT count(*), max(hops) FROM chain;
SELECT id FROM customer INTERSECT SELECT customer FROM purchase WHERE amount > 8 ORDER BY 1 LIMIT 9;
PRAGMA integrity_check;
DROP TABLE customer;
DROP TABLE item;
DROP TABLE purchase;
END
}

# Tables that fit the caches, filled and asked again and again: time samples go where the work is, not
# where memory is slow.
while [ "$repeat" -gt 0 ]; do
  session
  repeat=$((repeat - 1))
done
