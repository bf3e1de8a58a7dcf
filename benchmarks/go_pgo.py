#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""go_pgo.py SOFTLBR [--json FILE]: what `go build -pgo` gains by our pprof of a recording, beside Go's own CPU profile.

Three programs: gofmt of the Go that is installed, goldmark (Markdown to HTML; Debian's golang-github-yuin-goldmark-dev), and
encoding/json, which reads and writes a file. Instructions of input that no profile has seen are callgrind's,
with GOMAXPROCS=1 and GOGC=off, so that they repeat, and without preemption by signals, which valgrind does not bear.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import section

GOPATH = "/usr/share/gocode"
TEXT = ("Instructions that `go build -pgo=FILE` saves against the same build without a profile, on input that no profile has "
        "seen, by callgrind with GOMAXPROCS=1 and GOGC=off. Ours is `softlbr convert --to pprof` of a recording of the "
        "training; Go's own is of runtime/pprof, of the same work. Three runs of one program differed by 0.1 %.")
MAIN = """package main

import (
	"os"
	"runtime/pprof"
	"strconv"
%s
)

func main() {
	if name := os.Getenv("CPUPROFILE"); name != "" {
		file, _ := os.Create(name)
		pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	rounds, _ := strconv.Atoi(os.Args[1])
	for ; rounds > 0; rounds-- {
		for _, name := range os.Args[2:] {
%s
		}
	}
}
"""
MARKDOWN = MAIN % ('\t"bytes"\n\t"github.com/yuin/goldmark"\n\t"github.com/yuin/goldmark/extension"', """
			text, _ := os.ReadFile(name)
			var out bytes.Buffer
			if goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(text, &out) != nil {
				panic(name)
			}""")
JSON = MAIN % ('\t"encoding/json"', """
			text, _ := os.ReadFile(name)
			var value any
			if err := json.Unmarshal(text, &value); err != nil {
				panic(err)
			}
			if out, err := json.MarshalIndent(value, "", " "); err != nil || len(out) == 0 {
				panic(name)
			}""")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False, **options)
    if done.returncode not in (0, 5):
        sys.exit("go_pgo.py: %s: %s" % (" ".join(map(str, command[:4])), done.stdout[-800:]))
    return done.stdout


def go_build(program, output, *flags):
    outside = dict(os.environ, GO111MODULE="off", GOPATH=GOPATH, GOFLAGS="-buildvcs=false")
    run("go", "build", "-o", output, *flags, program["package"], cwd=program["directory"],
        env=outside if program["directory"] != "/" else os.environ)


def instructions(binary, words):
    said = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, *words,
               env=dict(os.environ, GOMAXPROCS="1", GOGC="off", GODEBUG="asyncpreemptoff=1"))
    return int(re.search(r"Collected : (\d+)", said)[1])


def programs(directory, goroot):
    def main(name, text):
        (directory / name).mkdir()
        (directory / name / "main.go").write_text(text, encoding="utf-8")
        return {"package": ".", "directory": directory / name}

    places = [{"id": n, "name": "place %d" % (n * 7919 % 1000), "at": [n / 7, -n / 3], "tags": ["a", "b\\n"] * (n % 3),
               "open": n % 2 == 0, "of": None} for n in range(2000)]
    (directory / "places.json").write_text(json.dumps(places), encoding="utf-8")
    sources = sorted(glob.glob(goroot + "/src/go/parser/*.go") + glob.glob(goroot + "/src/go/types/*.go"))
    pages = sorted(glob.glob(goroot + "/**/*.md", recursive=True))
    tests = glob.glob(GOPATH + "/src/github.com/yuin/goldmark/_test/*.txt")
    yield {"name": "gofmt", "package": "cmd/gofmt", "directory": "/", "profile": ["-cpuprofile"],
           "train": ["-l"] + 12 * sources, "test": ["-l"] + sorted(glob.glob(goroot + "/src/net/http/*.go"))[:20]}
    yield dict(main("markdown", MARKDOWN), name="goldmark", train=["400", *tests], test=["1", *pages])
    yield dict(main("json", JSON), name="encoding/json", train=["150", tests[0].rpartition("/")[0] + "/spec.json"],
               test=["4", str(directory / "places.json")])


def row(softlbr, program, directory):
    def file(kind):
        return directory / ("%s.%s" % (program["name"].replace("/", "-"), kind))

    go_build(program, file("plain"))
    run(softlbr, "record", "-o", file("data"), "--", file("plain"), *program["train"])
    run(softlbr, "convert", "--binary", file("plain"), "--profile", file("data"), "--to", "pprof=%s" % file("ours.pprof"))
    if "profile" in program:
        run(file("plain"), *program["profile"], file("own.pprof"), *program["train"])
    else:
        run(file("plain"), *program["train"], env=dict(os.environ, CPUPROFILE=str(file("own.pprof"))))
    plain = instructions(file("plain"), program["test"])
    saved = []
    for kind in ("ours", "own"):
        go_build(program, file(kind), "-pgo=%s" % file(kind + ".pprof"))
        saved.append(100 * (1 - instructions(file(kind), program["test"]) / plain))
    return [program["name"], round(plain / 1e6, 1), *saved]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--programs", default="gofmt,goldmark,encoding/json")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    goroot, version = run("go", "env", "GOROOT").strip(), run("go", "version").split()[2]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for program in programs(Path(name), os.path.realpath(goroot)):
            if program["name"] not in arguments.programs.split(","):
                continue
            rows.append(row(os.path.realpath(arguments.softlbr), program, Path(name)))
            print(*rows[-1], sep="\t", flush=True)
    if arguments.json:
        section.write(arguments.json, "Go by go build -pgo", TEXT,
                      ["program, %s" % version.replace("go", "Go "), "million instructions", "our pprof, % fewer", "Go's own, % fewer"], rows,
                      "benchmarks/go_pgo.py build/softlbr", digits=1)


if __name__ == "__main__":
    main()
