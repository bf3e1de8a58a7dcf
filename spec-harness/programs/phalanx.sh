spec=458.sjeng match=sibling
what="Phalanx 25, a chess engine: positions to a fixed depth"
debian=phalanx

build() {
  libraries=-lm
  cd "$sources/phalanx"
  # It reads a stack variable that it did not set: what it plays would depend on what ran before.
  c_program . "-fcommon -ftrivial-auto-var-init=zero -DGNUFUN -DPBOOK_DIR='\"/nonexistent\"' -DSBOOK_DIR='\"/nonexistent\"'
    -DECO_DIR='\"/nonexistent\"'" *.c
}

inputs() {
  cat >train <<'C'
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
rnbqkb1r/pp3ppp/2p1pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 0 5
8/8/1p2k1p1/3p3p/1P1P1P1P/4K1P1/8/8 w - - 0 1
C
  cat >ref <<'C'
r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 0 8
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16
C
  cp ref short
}

workload() {
  case $1 in train) depth=11 ;; short) depth=8 ;; ref) depth=11 ;; esac
  {
    printf 'nopost\neasy\ndepth %d\n' $depth
    while read -r position; do
      printf 'setboard %s\ngo\nforce\n' "$position"
    done <"$inputs/$1"
    echo quit
  } >commands
  # -o -: it would look for input while it thinks, and stop
  run -t 16384 -b- -o - <commands >log
}

output() {
  grep -i 'my move' log
}
