# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="firefox-esr"

title() {
  firefox-esr --version | sed 's/Mozilla Firefox/Firefox/; s/$/: a screenshot of a page, content processes in its sandbox/'
}

prepare() {
  cat >"$input/page.html" <<'END'
<!doctype html><html><head><meta charset="utf-8"><style>
body { font: 14px monospace; background: #fafaf0; } td { border: 1px solid #888; padding: 2px 6px; }
</style></head><body><h1>squares</h1><table id="t"></table><canvas id="c" width="300" height="120"></canvas><script>
let rows = "";
for (let i = 0; i < 20; i++)
  rows += "<tr><td>" + Array.from({length: 8}, (_, k) => (i * 8 + k) ** 2).join("</td><td>") + "</td></tr>";
document.getElementById("t").innerHTML = rows;
let hash = 7;
for (let i = 0; i < 3000000; i++)
  hash = (Math.imul(hash, 31) + i) | 0;
const c = document.getElementById("c").getContext("2d");
for (let x = 0; x < 300; x++) {
  c.fillStyle = "hsl(" + ((hash ^ x) & 255) + ",70%,50%)";
  c.fillRect(x, 60 - 50 * Math.sin(x / 20), 2, 50);
}
</script></body></html>
END
}

run() {
  export HOME="$PWD/home" MOZ_CRASHREPORTER_DISABLE=1 MOZ_DISABLE_AUTO_SAFE_MODE=1
  mkdir -p home profile
  "$@" firefox-esr --headless --no-remote --profile "$PWD/profile" --window-size=800,900 \
    --screenshot "$PWD/picture.png" "file://$input/page.html" >said.out 2>said.err
  status=$?
  sha256sum <picture.png
  grep ^softlbr said.err >&2 || :
  return $status
}
