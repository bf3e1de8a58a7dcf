#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inputs.py NAME DIRECTORY: write the inputs of a program of programs.toml, the same bytes each time."""
import itertools
import math
import os
import random
import struct
import sys

SIZES = {"short": 1, "train": 6}


def text(lines):
    """Words whose lengths and frequencies are like those of a language."""
    draw = random.Random(1)
    words = ["".join(draw.choice("etaoinshrdlucmfwypvbgk") for _ in range(draw.randint(1, 10))) for _ in range(5000)]
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for _ in range(lines):
        yield " ".join(draw.choices(words, cum_weights=weights, k=draw.randint(3, 16))) + " %d\n" % draw.randint(0, 9999)


def texts(directory, lines):
    for name, size in SIZES.items():
        with open(os.path.join(directory, name + ".txt"), "w", encoding="ascii") as file:
            file.writelines(text(lines * size))


def mawk(directory):
    texts(directory, 20000)
    with open(os.path.join(directory, "words.awk"), "w", encoding="ascii") as file:
        file.write("""{ for (i = 1; i <= NF; i++) { n[$i]++; if ($i ~ /^[aeiou].*(th|sh|er)/) vowel++; len += length($i) }
  s = $0; gsub(/[^a-z]+/, "-", s); sub(/^-/, "", s); key[substr(s, 1, 4)] = NR; h = (h * 31 + NF) % 65521 }
END { for (w in n) if (n[w] > 1) { more++; sum += n[w] * length(w) } print NR, more, sum, vowel, len, h }
""")


def newlisp(directory):
    with open(os.path.join(directory, "queens.lsp"), "w", encoding="ascii") as file:
        file.write("""(define (safe? row placed)
  (let (ok true d 1)
    (dolist (q placed (not ok))
      (if (or (= q row) (= (abs (- q row)) d)) (set 'ok nil))
      (inc d))
    ok))
(define (queens n k placed)
  (if (= k 0) 1
    (let (sum 0)
      (for (row 1 n) (if (safe? row placed) (inc sum (queens n (- k 1) (cons row placed)))))
      sum)))
(define (words n)
  (let (table '() s "")
    (for (i 1 n) (set 's (string (% (* i i) 977) "-" (% i 13))) (push (length (parse s "-")) table)
      (if (find "7-1" s) (push s table)))
    (length (sort (map string table)))))
(set 'n (int (last (main-args))))
(println (queens n n '()) " " (words (* n 2500)))
(exit)
""")


def lame(directory):
    draw, rate = random.Random(2), 44100
    for name, seconds in ("short", 5), ("train", 40):
        samples = []
        for i in range(rate * seconds):
            t = i / rate
            tone = sum(math.sin(2 * math.pi * f * t) / k for k, f in enumerate((220, 331, 523, 1661), 1))
            samples.append(int(6000 * tone * (0.6 + 0.4 * math.sin(3 * t)) + draw.gauss(0, 700)))
        data = struct.pack("<%dh" % len(samples), *(max(-32768, min(32767, s)) for s in samples))
        with open(os.path.join(directory, name + ".wav"), "wb") as file:
            file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
                       struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" +
                       struct.pack("<I", len(data)) + data)


def lp_solve(directory):
    for name, tasks in ("short", 130), ("train", 300):
        draw, workers = random.Random(3), tasks // 2
        cost = [[draw.randint(5, 99) for _ in range(tasks)] for _ in range(workers)]
        use = [[draw.randint(3, 19) for _ in range(tasks)] for _ in range(workers)]
        with open(os.path.join(directory, name + ".lp"), "w", encoding="ascii") as file:
            file.write("min: " + " + ".join("%d x%d_%d" % (cost[i][j], i, j) for i in range(workers)
                                            for j in range(tasks)) + ";\n")
            for j in range(tasks):
                file.write(" + ".join("x%d_%d" % (i, j) for i in range(workers)) + " >= 1;\n")
            for i in range(workers):
                file.write(" + ".join("%d x%d_%d" % (use[i][j], i, j) for j in range(tasks)) + " <= 25;\n")


def astyle(directory):
    def block(draw, depth):
        pad = " " * draw.randint(0, 3)
        if depth > 3 or draw.random() < 0.4:
            yield pad + "x%d = f%d (a[%d], \"s%d\") + %d ; /* note %d */\n" % tuple(draw.randint(0, 99) for _ in range(6))
            return
        kind = draw.choice(["if (x%d > y%d) {", "for (int i = %d; i < %d; i++) {", "while (n%d-- && m%d) {",
                            "switch (k%d + %d) { case 1:"])
        yield pad + kind % (draw.randint(0, 9), draw.randint(0, 9)) + "\n"
        for _ in range(draw.randint(1, 4)):
            yield from block(draw, depth + 1)
        yield pad + "}\n"

    for name, functions in ("short", 150), ("train", 1000):
        draw = random.Random(4)
        with open(os.path.join(directory, name + ".c"), "w", encoding="ascii") as file:
            for number in range(functions):
                file.write("static int f%d (struct t *p,int q) { // %d\n" % (number, number * 7))
                for _ in range(6):
                    file.writelines(block(draw, 0))
                file.write("return q; }\n\n")


def stockfish(_directory):
    """bench has positions of its own."""


def minimap2(directory):
    draw = random.Random(5)
    genome = "".join(draw.choice("acgt") for _ in range(1500000))
    with open(os.path.join(directory, "genome.fa"), "w", encoding="ascii") as file:
        file.write(">g\n%s\n" % genome)
    for name, reads in ("short", 60), ("train", 500):
        with open(os.path.join(directory, name + ".fa"), "w", encoding="ascii") as file:
            for number in range(reads):
                at = draw.randrange(len(genome) - 6000)
                read = [draw.choice("acgt") if draw.random() < 0.08 else base for base in genome[at:at + 6000]
                        if draw.random() > 0.03]
                file.write(">r%d\n%s\n" % (number, "".join(read)))


def nasm(directory):
    for name, size in ("short", 1800), ("train", 6000):
        draw = random.Random(6)
        with open(os.path.join(directory, name + ".asm"), "w", encoding="ascii") as file:
            file.write("bits 64\n%macro step 2\n mov %1, [rsi + %2 * 8]\n add rdi, %1\n%endmacro\n")
            for number in range(size):
                file.write("l%d:\n" % number)
                for _ in range(draw.randint(1, 3)):
                    file.write(draw.choice([" step rax, %d\n", " lea rcx, [rdx + %d]\n", " cmp eax, %d * 3 + 1\n",
                                            " vaddps ymm1, ymm2, [rsi + %d]\n"]) % draw.randint(0, 4000))
                file.write(" jne l%d\n" % draw.randrange(max(0, number - 40), min(size, number + 40)))


def potrace(directory):
    for name, side in ("short", 1000), ("train", 3000):
        rows = bytearray()
        for y in range(side):
            bits = 0
            for x in range(side):
                value = math.sin(x / 23) * math.cos(y / 31) + math.sin((x * x + y * y) / (40.0 * side)) / 2
                bits = bits << 1 | (value > 0.1)
            rows += bits.to_bytes((side + 7) // 8, "big")
        with open(os.path.join(directory, name + ".pbm"), "wb") as file:
            file.write(b"P4\n%d %d\n" % (side, side) + rows)


def eprover(directory):
    """A ring in which x*x*x = x is commutative: too hard for a few thousand clauses."""
    laws = {"plus_zero": "plus(X,zero) = X", "plus_minus": "plus(X,minus(X)) = zero", "plus_swap": "plus(X,Y) = plus(Y,X)",
            "plus_join": "plus(plus(X,Y),Z) = plus(X,plus(Y,Z))", "times_join": "times(times(X,Y),Z) = times(X,times(Y,Z))",
            "left": "times(X,plus(Y,Z)) = plus(times(X,Y),times(X,Z))",
            "right": "times(plus(X,Y),Z) = plus(times(X,Z),times(Y,Z))", "cube": "times(X,times(X,X)) = X"}
    with open(os.path.join(directory, "ring.p"), "w", encoding="ascii") as file:
        for name, law in laws.items():
            file.write("cnf(%s, axiom, (%s)).\n" % (name, law))
        file.write("cnf(goal, negated_conjecture, (times(a,b) != times(b,a))).\n")


def ripgrep(directory):
    texts(directory, 15000)
    with open(os.path.join(directory, "patterns"), "w", encoding="ascii") as file:
        file.write("\\b[aeiou]\\w*(th|sh|er)\\b.*\\d{4}$\n(\\w+) [a-m]{2,4} \\w*[xyz]\n^.{20,40}(et|ta)[^ ]* \\d?7\n")


def zopfli(directory):
    for name, lines in ("short", 1500), ("train", 5000):
        with open(os.path.join(directory, name + ".txt"), "w", encoding="ascii") as file:
            file.writelines(text(lines))


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    globals()[sys.argv[1]](sys.argv[2])
