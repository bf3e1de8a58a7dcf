spec=444.namd match="by domain only"
what="AutoDock 4.2.6: docking a molecule"
language=C++
debian=autodocksuite

build() {
  cp -r "$sources/autodocksuite/autodock" "$BUILD/tree"
  cd "$BUILD/tree"
  # the package makes this header with csh
  {
    parameters param_string_4_0 AD4_parameters.dat
    parameters param_string_4_1 AD4.1_bound.dat
  } >default_parameters.h
  CC=$CC CXX=$CXX CFLAGS="$CFLAGS -w" CXXFLAGS="$CXXFLAGS -std=gnu++14 -w" LDFLAGS=$LDFLAGS \
    ./configure >configure.log 2>&1
  make -j"$JOBS" autodock4 >make.log 2>&1
  cp autodock4 "$BUILD/namd"
}

# parameters NAME FILE: its lines as strings
parameters() {
  echo "const char *$1[MAX_LINES] = {"
  grep -Ev '^#|^$' "$2" | tr -d '\r' | sed 's/.*/"&\\n", /'
  echo '};'
}

# docking RUNS GENERATIONS SEED
docking() {
  sed "s/^seed .*/seed $3 13/; s/^ga_num_evals .*/ga_num_evals 1000000/; s/^ga_run .*/ga_run $1/
    s/^ga_num_generations .*/ga_num_generations $2/" 1pgp_gals_10runs.dpf
}

inputs() {
  cp "$sources/autodocksuite/autodock/Tests/"1pgp* "$sources/autodocksuite/autodock/"AD4*.dat .
  docking 4 60 5 >train.dpf
  docking 1 6 3 >short.dpf
  docking 2 80 11 >ref.dpf
}

workload() {
  cp "$inputs"/* .
  run -p "$1.dpf" -l log
}

output() {
  grep -E '^DOCKED: (USER|ATOM)' log
}
