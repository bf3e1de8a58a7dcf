spec=456.hmmer match=same
what="HMMER 2.3.2 (SPEC has 2.0): hmmsearch and hmmcalibrate in one file, as SPEC has them"
debian="hmmer2 biosquid"

build() {
  hmmer=$sources/hmmer2 squid=$sources/biosquid
  mkdir "$BUILD/include"
  configure_headers "$BUILD/include"
  flags="-std=gnu89 -fcommon -I$BUILD/include"
  cd "$squid"
  objects "$CC" "$CFLAGS $flags" a2m.c aligneval.c alignio.c clustal.c cluster.c dayhoff.c eps.c \
    file.c getopt.c gki.c hsregex.c iupac.c msa.c msf.c phylip.c revcomp.c rk.c selex.c seqencode.c \
    shuffle.c sqerror.c sqio.c squidcore.c sre_ctype.c sre_math.c sre_random.c sre_stack.c \
    sre_string.c ssi.c stockholm.c stopwatch.c translate.c types.c vectorops.c weight.c wuss.c
  # both libraries have these
  objects "$CC" "$CFLAGS $flags -DSampleGamma=qSampleGamma -DSampleDirichlet=qSampleDirichlet" \
    dirichlet.c
  cd "$hmmer/src"
  objects "$CC" "$CFLAGS $flags" alphabet.c core_algorithms.c debug.c display.c emit.c emulation.c \
    fast_algorithms.c histogram.c hmmio.c masks.c mathsupport.c misc.c modelmakers.c plan7.c \
    plan9.c postprob.c prior.c threads.c tophits.c trace.c
  objects "$CC" "$CFLAGS $flags -Dmain=search_main -Dmain_loop_serial=search_loop -Dbanner=sb
    -Dusage=su -Dexperts=se" hmmsearch.c
  objects "$CC" "$CFLAGS $flags -Dmain=calib_main -Dmain_loop_serial=calib_loop -Dbanner=cb
    -Dusage=cu -Dexperts=ce" hmmcalibrate.c
  cat >"$BUILD/main.c" <<'C'
int search_main(int, char **);
int calib_main(int, char **);

int main(int count, char **arguments)
{
	return (arguments[1][0] == 'c' ? calib_main : search_main)(count - 1, arguments + 1);
}
C
  cd "$BUILD"
  objects "$CC" "$CFLAGS" main.c
  libraries=-lm
  link "$CC" "$CFLAGS"
}

configure_headers() {
  cp "$squid"/*.h "$hmmer"/src/*.h "$1"
  sed 's/@SQD_UINT16@/unsigned short/; s/@SQD_UINT32@/unsigned int/
    s/@SQD_UINT64@/unsigned long/' "$squid/squid.h.in" >"$1/squid.h"
  sed -E 's/^(#define SIZEOF_UNSIGNED_SHORT) .*/\1 2/; s/^(#define SIZEOF_UNSIGNED_INT) .*/\1 4/
    s/^(#define SIZEOF_UNSIGNED_LONG) .*/\1 8/; s/^(#define SIZEOF_UNSIGNED_LONG_LONG) .*/\1 8/
    s/#undef (HAVE_(NTOHS|NTOHL|HTONS|HTONL|STRTOULL?))/#define \1 1/' \
    "$squid/squidconf.h.in" >"$1/squidconf.h"
  for name in VERSION DATE COPYRIGHT LICENSE; do
    echo "#define SQUID_$name \"\""
  done >>"$1/squidconf.h"
  sed 's/#undef PACKAGE_\(NAME\|VERSION\|DATE\|COPYRIGHT\|LICENSE\)/#define PACKAGE_\1 ""/' \
    "$hmmer/src/config.h.in" >"$1/config.h"
}

# database SEQUENCES SEED: protein sequences with residues about as frequent as in fn3
database() {
  awk -v n="$1" -v s="$2" 'BEGIN {
    a = "AAAAAAAACCDDDDDEEEEEEFFFFGGGGGGGHHIIIIIIKKKKKKLLLLLLLLLMMNNNNPPPPPQQQQRRRRRSSSSSSSTTTTTTVVVVVVVWYYY"
    m = length(a)
    for (i = 0; i < n; i++) {
      printf ">s%d\n", i
      s = (s * 16807) % 2147483647
      l = 200 + s % 300
      o = ""
      for (j = 0; j < l; j++) {
        s = (s * 16807) % 2147483647
        o = o substr(a, int(s / 65536) % m + 1, 1)
      }
      print o
    }
  }'
}

inputs() {
  cp "$sources/hmmer2/testsuite/fn3.hmm" .
  database 5000 42 >train
  database 300 11 >short
  database 4200 7 >ref
}

workload() {
  case $1 in train) number=8000 ;; short) number=600 ;; ref) number=8500 ;; esac
  cp "$inputs/fn3.hmm" calibrated
  run search --cpu 0 calibrated "$inputs/$1" >out.search
  run calibrate --cpu 0 --seed 7 --num $number calibrated >out.calibrate
}

output() {
  grep -hv "$inputs" out.search out.calibrate
}
