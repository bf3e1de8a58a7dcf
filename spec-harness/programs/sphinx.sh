spec=482.sphinx3 match="same family"
what="PocketSphinx 5prealpha: decoding speech with the en-us model of its source package"
debian="sphinxbase pocketsphinx"

build() {
  base=$sources/sphinxbase pocket=$sources/pocketsphinx
  mkdir "$BUILD/include"
  cat >"$BUILD/include/sphinx_config.h" <<'C'
#define DEFAULT_RADIX 12
#define HAVE_LONG_LONG 1
#define SIZEOF_LONG_LONG 8
#define HAVE_UNISTD_H 1
#define ENABLE_THREADS
#define AD_BACKEND_NONE 1
C
  cat >"$BUILD/include/config.h" <<'C'
#define DEFAULT_RADIX 12
#define HAVE_LONG_LONG 1
#define SIZEOF_LONG_LONG 8
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_POPEN 1
#define ENABLE_THREADS 1
#define PACKAGE_VERSION "5prealpha"
C
  flags="-std=gnu89 -DHAVE_CONFIG_H -I$BUILD/include -I$base/include -I$base/src/libsphinxbase
    -I$base/src/libsphinxbase/util -I$base/src/libsphinxbase/fe -I$base/src/libsphinxbase/lm
    -I$pocket/include -I$pocket/src/libpocketsphinx"
  cd "$base/src/libsphinxbase"
  objects "$CC" "$CFLAGS $flags" */*.c
  libraries="-lm -lpthread"
  cd "$pocket/src"
  c_program . "$flags" libpocketsphinx/*.c programs/batch.c
}

inputs() {
  cp -r "$sources/pocketsphinx/model/en-us" .
  cp "$sources/pocketsphinx/test/data/"*.raw .
  for file in "$sources/pocketsphinx/test/data/librivox/"*.wav; do
    tail -c +45 "$file" >"$(basename "$file" .wav).raw" # without the header
  done
  ls *.raw | sed 's/\.raw$//' >all
  awk 'NR % 4 == 1' all >train
  awk 'NR % 8 == 3' all >ref
  head -c 36000 numbers.raw >brief.raw
  echo brief >short
  cp en-us/cmudict-en-us.dict train.dict
  cp train.dict ref.dict
  # Reading the dictionary would be most of what a short run does.
  awk '$1 !~ /[(]/ && (NR % 15 == 0 || /^(zero|one|two|three|four|five|six|seven|eight|nine|ten) /)' train.dict \
    >short.dict
}

workload() {
  run -hmm "$inputs/en-us/en-us" -lm "$inputs/en-us/en-us.lm.bin" \
    -dict "$inputs/$1.dict" -ctl "$inputs/$1" -cepdir "$inputs" -cepext .raw \
    -adcin yes -bestpath yes -hyp out -logfn log
}
