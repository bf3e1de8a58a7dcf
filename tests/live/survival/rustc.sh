# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="rustc"

title() {
  rustc --version | sed 's/rustc \([0-9.]*\).*/rustc \1: a program built with optimisation, and run with threads and panics/'
}

prepare() {
  cat >"$input/work.rs" <<'END'
use std::collections::BTreeMap;
use std::thread;

fn work(mut seed: u64) -> u64 {
    let mut map: BTreeMap<String, u64> = BTreeMap::new();
    for i in 0..60000 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *map.entry(format!("k{}", seed >> 52)).or_insert(0) += i;
    }
    map.iter().fold(seed, |a, (k, v)| a.wrapping_mul(31).wrapping_add(*v + k.len() as u64))
}

fn main() {
    let all: Vec<_> = (0..4).map(|n| thread::spawn(move || work(n))).collect();
    for t in all {
        println!("{}", t.join().unwrap());
    }
    let caught = std::panic::catch_unwind(|| { let v: Vec<u32> = Vec::new(); v[work(1) as usize % 7 + 1] });
    println!("{}", caught.is_err());
}
END
}

run() {
  "$@" rustc -O -C codegen-units=2 -o made "$input/work.rs" || return
  "$@" ./made 2>/dev/null
}
