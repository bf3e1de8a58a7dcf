spec=483.xalancbmk match="sibling, in C"
what="xsltproc (libxml2 2.9.14, libxslt 1.1.35): sorting, grouping and formatting records"
debian="libxml2 libxslt"

build() {
  xml=$sources/libxml2 xslt=$sources/libxslt
  mkdir -p "$BUILD/xml" "$BUILD/xslt/libxslt" "$BUILD/xslt/libexslt"
  (cd "$BUILD/xml" && CC=$CC CFLAGS=-O1 "$xml/configure" --without-python --without-lzma \
    --without-zlib --without-threads --disable-shared --without-http --without-ftp \
    --without-icu >configure.log 2>&1)
  sed 's/@VERSION@/1.1.35/g; s/@LIBXSLT_VERSION_NUMBER@/10135/g
    s/@LIBXSLT_VERSION_EXTRA@//g; s/@WITH_[A-Z_]*@/0/g' "$xslt/libxslt/xsltconfig.h.in" \
    >"$BUILD/xslt/libxslt/xsltconfig.h"
  sed 's/@VERSION@/0.8.20/g; s/@LIBEXSLT_VERSION_NUMBER@/820/g
    s/@LIBEXSLT_VERSION_EXTRA@//g; s/@WITH_[A-Z_]*@/0/g' "$xslt/libexslt/exsltconfig.h.in" \
    >"$BUILD/xslt/libexslt/exsltconfig.h"
  for name in SYS_TIME_H GETTIMEOFDAY SYS_STAT_H UNISTD_H TIME_H STDARG_H STDLIB_H STRING_H \
    LOCALE_H SNPRINTF VSNPRINTF LOCALTIME_R GMTIME_R STRXFRM_L MATH_H; do
    echo "#define HAVE_$name 1"
  done >"$BUILD/xslt/config.h"
  cd "$xml"
  objects "$CC" "$CFLAGS -DHAVE_CONFIG_H -I$BUILD/xml -I$BUILD/xml/include -I$xml/include" SAX.c \
    entities.c encoding.c error.c parserInternals.c parser.c tree.c hash.c list.c xmlIO.c \
    xmlmemory.c uri.c valid.c xlink.c HTMLparser.c HTMLtree.c debugXML.c xpath.c xpointer.c \
    xinclude.c catalog.c globals.c threads.c c14n.c xmlstring.c buf.c xmlregexp.c xmlschemas.c \
    xmlschemastypes.c xmlunicode.c xmlreader.c relaxng.c dict.c SAX2.c xmlwriter.c legacy.c \
    chvalid.c pattern.c xmlsave.c xmlmodule.c schematron.c
  libraries="-lm -ldl"
  cd "$xslt"
  c_program . "-DHAVE_CONFIG_H -I$BUILD/xslt -I$xslt -I$BUILD/xml/include -I$xml/include" \
    libxslt/*.c libexslt/*.c xsltproc/xsltproc.c
}

# records NUMBER SEED
records() {
  awk -v n="$1" -v s="$2" '
    function r(k) { s = (s * 16807) % 2147483647; return int(s / 1000) % k }
    function w(  i, o, l) {
      l = 3 + r(6)
      for (i = 0; i < l; i++)
        o = o sprintf("%c", 97 + r(26))
      return o
    }
    BEGIN {
      print "<?xml version=\"1.0\"?>\n<db>"
      for (i = 1; i <= n; i++) {
        printf "<rec id=\"i%d\" cat=\"c%d\" ref=\"i%d\"><name>%s %s</name><price>%d.%02d</price>", \
          i, r(60), 1 + r(n), w(), w(), r(900), r(100)
        tags = 2 + r(4)
        for (k = 0; k < tags; k++)
          printf "<tag lang=\"%s\">%s</tag>", (r(2) ? "en" : "de"), w()
        printf "<note>%s %s &amp; %s <b>%s</b></note></rec>\n", w(), w(), w(), w()
      }
      print "</db>"
    }'
}

inputs() {
  records 20000 11 >train
  records 7000 5 >short
  records 40000 3 >ref
}

workload() {
  case $1 in train) times=2 ;; short) times=1 ;; ref) times=1 ;; esac
  for i in $(seq $times); do
    run -o out "$programs/data/work.xsl" "$inputs/$1"
  done
}
