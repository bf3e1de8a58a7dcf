spec=403.gcc match=descendant
what="cc1 of GCC 3.4.6 for x86-64 (SPEC has 3.2): compiling sqlite3"
debian="gcc-h8300-hms sqlite3"
packages="tcl"

build() {
  gcc=$sources/gcc-h8300-hms
  host="$CC -std=gnu89 -fcommon -w"
  case $CC in *clang*) host="$host -fbracket-depth=1024" ;; esac
  target="--build=x86_64-linux-gnu --host=x86_64-linux-gnu --target=x86_64-linux-gnu"
  export MAKEINFO=true
  mkdir -p "$BUILD/tree/libiberty" "$BUILD/tree/gcc"
  cd "$BUILD/tree/libiberty"
  CC=$host CFLAGS=-O1 "$gcc/libiberty/configure" $target >configure.log 2>&1
  make -j"$JOBS" CFLAGS="$CFLAGS" >make.log 2>&1
  cd ../gcc
  CC=$host CFLAGS=-O1 gcc_cv_prog_makeinfo_modern=no "$gcc/gcc/configure" $target \
    --enable-languages=c --disable-nls --disable-multilib --disable-checking --disable-threads \
    --with-system-zlib >configure.log 2>&1
  make -j"$JOBS" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" cc1 >make.log 2>&1
  cp cc1 "$BUILD/cc1"
}

# As GCC 3.4 can read it: preprocessed with its predefined macros.
preprocess() {
  ${GCC:-gcc} -E -P -undef -D__x86_64__=1 -D__linux__=1 -D__unix__=1 -D__GNUC__=3 \
    -D__GNUC_MINOR__=4 -D__STDC__=1 '-D__SIZE_TYPE__=long unsigned int' \
    '-D__PTRDIFF_TYPE__=long int' -D__WCHAR_TYPE__=int -D__LP64__=1 -D_LP64=1 -D__CHAR_BIT__=8 \
    '-D__float128=long double' '-D__builtin_offsetof(t,m)=((unsigned long)&((t*)0)->m)' \
    -D__INT_MAX__=2147483647 -D__LONG_MAX__=9223372036854775807L \
    -D__DBL_MIN__=2.2250738585072014e-308 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
    -DSQLITE_DISABLE_INTRINSIC "$@"
}

inputs() {
  amalgamation "$PWD/amalgamation"
  preprocess amalgamation/sqlite3.c >ref
  preprocess "$sources/sqlite3/ext/session/sqlite3session.c" -DSQLITE_ENABLE_SESSION \
    -DSQLITE_ENABLE_PREUPDATE_HOOK -I amalgamation -I "$sources/sqlite3/src" >short
  preprocess "$sources/sqlite3/ext/rtree/rtree.c" -I amalgamation >train
}

workload() {
  case $1 in train) levels="2 2 s s 1 3" ;; short) levels=2 ;; ref) levels=1 ;; esac
  for level in $levels; do
    run -fpreprocessed -quiet -w -O$level "$inputs/$1" -o out.$level.s
  done
}
