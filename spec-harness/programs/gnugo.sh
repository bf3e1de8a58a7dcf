spec=445.gobmk match=same
what="GNU Go 3.8: a game against itself"
debian=gnugo

build() {
  mkdir "$BUILD/tree" && cd "$BUILD/tree"
  CC=$CC CFLAGS="$CFLAGS -fcommon -w" LDFLAGS=$LDFLAGS LIBS= "$sources/gnugo/configure" \
    --without-curses --without-readline >configure.log 2>&1
  make -j"$JOBS" >make.log 2>&1
  cp interface/gnugo "$BUILD/gnugo"
}

# game BOARD MOVES
game() {
  printf 'boardsize %d\nkomi 6.5\n' "$1"
  i=0
  while [ $i -lt "$2" ]; do
    printf 'genmove b\ngenmove w\n'
    i=$((i + 1))
  done
  printf 'showboard\nfinal_score\nquit\n'
}

inputs() {
  game 9 6 >train
  game 7 3 >short
  game 9 14 >ref
}

workload() {
  case $1 in train) seed=1 level=6 ;; short) seed=2 level=2 ;; ref) seed=3 level=7 ;; esac
  run --mode gtp --level $level --seed $seed <"$inputs/$1" >out
}
