spec=extra match=extra
what="sqlite 3.40, in memory: its own speedtest1"
debian=sqlite3
packages="tcl"

build() {
  amalgamation "$BUILD/amalgamation"
  libraries=-lm
  c_program "$BUILD/amalgamation" "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION
    -DSQLITE_ENABLE_RTREE -D_HAVE_SQLITE_CONFIG_H=0 -I." sqlite3.c \
    "$sources/sqlite3/test/speedtest1.c"
}

workload() {
  case $1 in
    train) set -- 50 cte,orm,main ;;
    short) set -- 16 main ;;
    ref) set -- 80 main ;;
  esac
  : >out
  for set in $(echo "$2" | tr , ' '); do
    run --size "$1" --testset "$set" --verify :memory: >>out
  done
}

# the figures beside the hashes are times
output() {
  grep -iE 'hash|verif' out
}
