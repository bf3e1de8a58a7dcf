#!/bin/sh
# SPDX-License-Identifier: MIT
# evaluation.sh ROWS: a deterministic SQL script for the sqlite3 shell, about measurements and a
# network of stations. It shares no table and no query with training.sh: used to judge what a
# profile that was recorded there is worth elsewhere.
rows=${1:-2000}
cat <<END
.bail on
CREATE TABLE station(code TEXT PRIMARY KEY, height INTEGER, region TEXT) WITHOUT ROWID;
CREATE TABLE link(a TEXT, b TEXT, length INTEGER, UNIQUE(a, b));
CREATE TABLE reading(station TEXT, at INTEGER, kind TEXT, value REAL, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
INSERT INTO station SELECT printf('S%03d', i), i * 7877 % 3000,
  CASE i % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'east' ELSE 'west' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)
INSERT OR IGNORE INTO link SELECT printf('S%03d', i % 400), printf('S%03d', i * 241 % 400),
  1 + i * 97 % 50 FROM n;
WITH RECURSIVE n(i, x) AS (
  SELECT 0, 12345 UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n
  WHERE i < $rows - 1)
INSERT INTO reading SELECT printf('S%03d', x / 64 % 400), 1600000000 + i * 60,
  CASE x / 8 % 3 WHEN 0 THEN 'rain' WHEN 1 THEN 'wind' ELSE 'heat' END, x % 10000 / 37.0,
  CASE WHEN x % 5 = 0 THEN NULL ELSE 'note-' || (x % 977) || '-' || lower(hex(x % 4096)) END FROM n;
CREATE INDEX reading_kind ON reading(kind, at DESC);
CREATE INDEX reading_note ON reading(note) WHERE note IS NOT NULL;
SELECT kind, count(*), round(avg(value), 3), round(max(value), 3) FROM reading GROUP BY kind;
SELECT region, kind, round(sum(value), 1) FROM reading JOIN station ON code = station
  GROUP BY region, kind ORDER BY region, kind;
WITH RECURSIVE reach(code, far) AS (
  SELECT 'S000', 0 UNION SELECT b, far + length FROM reach JOIN link ON a = code WHERE far < 90)
SELECT count(*), count(DISTINCT code), max(far) FROM reach;
SELECT station, at, round(value, 2), rank() OVER (PARTITION BY station ORDER BY value DESC) AS r
  FROM reading WHERE kind = 'wind' AND value > 240 ORDER BY r, station, at LIMIT 30;
SELECT round(sum(smooth), 2) FROM (SELECT avg(value) OVER (PARTITION BY station ORDER BY at
  ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS smooth FROM reading);
SELECT note, count(*) AS n FROM reading WHERE note >= 'note-3' AND note < 'note-5'
  GROUP BY note HAVING n > 1 ORDER BY n DESC, note LIMIT 20;
SELECT datetime(at, 'unixepoch'), station FROM reading WHERE kind = 'rain' ORDER BY at DESC LIMIT 12;
SELECT strftime('%H', at, 'unixepoch') AS hour, count(*) FROM reading GROUP BY hour ORDER BY hour;
SELECT count(*) FROM reading WHERE note GLOB '*-[a-f]*' AND instr(note, '7') > 0;
SELECT code FROM station WHERE NOT EXISTS (SELECT 1 FROM link WHERE a = code AND length > 40)
  EXCEPT SELECT station FROM reading WHERE value > 269 ORDER BY 1 LIMIT 25;
INSERT INTO reading SELECT station, at + 30, kind, value * 1.5, replace(note, 'note', 'copy')
  FROM reading WHERE kind = 'heat' AND at % 7 < 4;
REPLACE INTO link SELECT b, a, length + 1 FROM link WHERE length % 2 = 0;
DELETE FROM reading WHERE value < 20 AND station IN (SELECT code FROM station WHERE height > 1500);
SELECT count(*), round(sum(value), 2), group_concat(DISTINCT kind) FROM reading;
SELECT a.station, count(*) FROM reading a JOIN reading b ON b.note = a.note AND b.rowid > a.rowid
  WHERE a.kind = 'heat' GROUP BY a.station ORDER BY 2 DESC, 1 LIMIT 15;
END
