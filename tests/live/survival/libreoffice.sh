# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="soffice python3 unzip"

title() {
  soffice --version | sed -n 's/LibreOffice \([0-9.]*\).*/LibreOffice \1: sheets calculated, a text of 200 paragraphs laid out and converted/p'
}

prepare() {
  # a new profile is made once
  HOME="$input" soffice --headless "-env:UserInstallation=file://$input/profile" --convert-to txt \
    --outdir "$input/first" "$root/LICENSE" >"$input/first.log" 2>&1 || {
    cat "$input/first.log"
    return 75
  }
  python3 - "$input" <<'END'
import sys
head = ('<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.%s"><office:body><office:%s>')
with open(sys.argv[1] + "/sheet.fods", "w") as f:
    f.write(head % ("spreadsheet", "spreadsheet") + '<table:table table:name="s">')
    for i in range(1, 401):
        f.write('<table:table-row><table:table-cell office:value-type="float" office:value="%d"/>' % (i * 7919 % 1009))
        for formula in ("[.A%d]*[.A%d]+%d" % (i, max(i - 1, 1), i), "SUM([.A1:.A%d])" % i,
                        "ROUND(STDEV([.A1:.A%d]);4)" % max(i, 2), "COUNTIF([.A$1:.A$400];\"&gt;\"&amp;[.A%d])" % i):
            f.write('<table:table-cell table:formula="of:=%s"/>' % formula.replace('"', "&quot;"))
        f.write('</table:table-row>')
    f.write('</table:table></office:spreadsheet></office:body></office:document>')
with open(sys.argv[1] + "/text.fodt", "w") as f:
    f.write(head % ("text", "text"))
    for i in range(200):
        f.write('<text:p>Paragraph %d: %s</text:p>' % (i, "some words that are laid out, " * (i % 40)))
    f.write('</office:text></office:body></office:document>')
END
}

run() {
  export HOME="$PWD"
  cp -r "$input/profile" profile
  for conversion in csv:sheet.fods docx:text.fodt; do
    "$@" soffice --headless "-env:UserInstallation=file://$PWD/profile" --convert-to "${conversion%%:*}" \
      --outdir "$PWD/made" "$input/${conversion#*:}" >log 2>&1 || {
      cat log
      return 1
    }
    grep ^softlbr log >&2 || :
  done
  sha256sum made/sheet.csv
  unzip -p made/text.docx word/document.xml | sha256sum
}
