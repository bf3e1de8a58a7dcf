spec=450.soplex match="sibling, in C"
what="GLPK 5.0's glpsol: a generated linear program, travelling salesman, bin packing, sudoku"
debian=glpk

build() {
  include=
  for directory in . api amd bflib colamd draft env intopt minisat misc mpl npp proxy simplex zlib; do
    include="$include -I$sources/glpk/src/$directory"
  done
  printf '#define HAVE_SYS_TIME_H 1\n#define HAVE_GETTIMEOFDAY 1\n' >"$BUILD/config.h"
  libraries=-lm
  cd "$sources/glpk/src"
  c_program . "-DHAVE_CONFIG_H -I$BUILD $include" \
    $(find . -name '*.c' ! -name main.c | sort) ../examples/glpsol.c
}

# linear_program ROWS COLUMNS SEED
linear_program() {
  awk -v m="$1" -v n="$2" -v s="$3" '
    function r(k) { s = (s * 16807) % 2147483647; return int(s / 1000) % k }
    BEGIN {
      print "NAME R\nROWS\n N obj"
      for (i = 1; i <= m; i++)
        print " L r" i
      print "COLUMNS"
      for (j = 1; j <= n; j++) {
        print "    x" j "  obj  -" 5 + r(40)
        for (k = 0; k < 12; k++) {
          i = 1 + (j * 7 + k * 37 + r(11)) % m
          if (!((i, j) in used)) {
            used[i, j] = 1
            print "    x" j "  r" i "  " 1 + r(30)
          }
        }
      }
      print "RHS"
      for (i = 1; i <= m; i++)
        print "    RHS  r" i "  " 1000 + r(9000)
      print "BOUNDS"
      for (j = 1; j <= n; j++)
        print " UP BND  x" j "  " 20 + r(60)
      print "ENDATA"
    }'
}

inputs() {
  cp "$sources/glpk/examples/"*.mod "$sources/glpk/examples/"*.dat .
  linear_program 1600 3600 11 >train
  linear_program 900 2100 5 >short
  linear_program 2000 4500 7 >ref
}

workload() {
  run --nopresol --freemps "$inputs/$1" -o out.lp >log
  [ "$1" = short ] && models=sudoku || models="tsp bpp sudoku"
  for model in $models; do
    run -m "$inputs/$model.mod" -o out.$model >log
  done
}
