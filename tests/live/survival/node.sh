# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="node"

title() {
  echo "node $(node --version): JIT-compiled loops, RegExp, JSON, BigInt, WebAssembly, workers, zlib, crypto"
}

prepare() {
  cat >"$input/work.js" <<'END'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const zlib = require('zlib'), crypto = require('crypto'), { execFileSync } = require('child_process');
function work(seed) {
  let x = seed, counts = new Map(), text = '';
  for (let i = 0; i < 100000; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    const key = 'k' + (x % 997);
    counts.set(key, (counts.get(key) || 0) + 1);
    if (i % 10 === 0) text += key + ',';
  }
  const sorted = [...counts].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1));
  const back = JSON.parse(JSON.stringify(sorted));
  const matches = (text.match(/k(\d)\1*\d*,/g) || []).length;
  let big = 1n;
  for (let i = 1n; i < 600n; i++) big *= i;
  let thrown = 0;
  for (let i = 0; i < 20000; i++) try { if (i % 3 === 0) null.x; } catch (e) { thrown++; }
  const zip = zlib.inflateSync(zlib.deflateSync(text)).toString() === text;
  return crypto.createHash('sha256').update(JSON.stringify([back, matches, big.toString(), thrown, zip])).digest('hex');
}
// (func (export "f") (param i32) (result i32)): the sum of 0..n-1
const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102,
  0, 0, 10, 33, 1, 31, 1, 1, 127, 3, 64, 32, 0, 69, 4, 64, 32, 1, 15, 11, 32, 0, 65, 1, 107, 34, 0, 32, 1, 106,
  33, 1, 12, 0, 11, 0, 11]);
if (!isMainThread) {
  parentPort.postMessage(work(workerData));
} else {
  console.log(work(1));
  const f = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports.f;
  let sum = 0;
  for (let i = 0; i < 100; i++) sum = (sum + f(20000)) | 0;
  console.log(sum);
  console.log(execFileSync(process.execPath, ['-p', '6 * 7']).toString().trim());
  Promise.all([2, 3, 4].map(n => new Promise((yes, no) => {
    const w = new Worker(__filename, { workerData: n });
    w.on('message', yes);
    w.on('error', no);
  }))).then(all => { console.log(all.join('\n')); process.exitCode = 0; });
}
END
}

run() {
  "$@" node "$input/work.js"
}
