// SPDX-License-Identifier: MIT
// A machine of a stack that sums and hashes: few of its operations run often.
#[derive(Clone, Copy)]
enum Op {
    Push(u64),
    Add,
    Mul,
    Xor,
    Rot(u32),
    Dup,
    Swap,
    Loop(usize),
    Check(u64),
    Halt,
}

// What it expands to is above the functions that it is in.
macro_rules! pop {
    ($m:expr) => {
        take(&mut $m.stack, &mut $m.errors)
    };
}

#[inline(always)]
fn take(stack: &mut Vec<u64>, errors: &mut u64) -> u64 {
    match stack.pop() {
        Some(v) => v,
        None => fail(errors),
    }
}

fn fail(errors: &mut u64) -> u64 {
    *errors += 1;
    0
}

struct Machine {
    stack: Vec<u64>,
    count: u64,
    errors: u64,
}

fn report(m: &Machine, limit: u64) -> u64 {
    let mut sum: u64 = limit;
    for (i, v) in m.stack.iter().enumerate() {
        sum = sum.wrapping_add(v.wrapping_mul(i as u64 + 1)) ^ (sum >> 11);
    }
    sum
}

fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    if x & 0xfff == 3 {
        return report(&Machine { stack: vec![a, b, x], count: 0, errors: 0 }, x);
    }
    x ^ (x >> 29)
}

fn run(m: &mut Machine, code: &[Op]) -> u64 {
    let mut pc = 0;
    loop {
        match code[pc] {
            Op::Push(v) => m.stack.push(v),
            Op::Add => {
                let (a, b) = (pop!(m), pop!(m));
                m.stack.push(a.wrapping_add(b));
            }
            Op::Mul => {
                let (a, b) = (pop!(m), pop!(m));
                m.stack.push(a.wrapping_mul(b | 1));
            }
            Op::Xor => {
                let (a, b) = (pop!(m), pop!(m));
                m.stack.push(mix(a, b));
            }
            Op::Rot(n) => {
                let a = pop!(m);
                m.stack.push(a.rotate_left(n));
            }
            Op::Dup => {
                let a = pop!(m);
                m.stack.push(a);
                m.stack.push(a);
            }
            Op::Swap => {
                let (a, b) = (pop!(m), pop!(m));
                m.stack.push(a);
                m.stack.push(b);
            }
            Op::Loop(to) => {
                m.count -= 1;
                if m.count > 0 {
                    pc = to;
                    continue;
                }
            }
            Op::Check(limit) => {
                if m.stack.len() as u64 > limit {
                    return report(m, limit);
                }
            }
            Op::Halt => return report(m, 0),
        }
        pc += 1;
    }
}

fn main() {
    let n: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(20);
    let code = [
        Op::Push(1), Op::Dup, Op::Push(7), Op::Add, Op::Xor, Op::Push(3), Op::Swap, Op::Mul,
        Op::Rot(9), Op::Dup, Op::Push(5), Op::Xor, Op::Add, Op::Check(64), Op::Loop(1), Op::Halt,
    ];
    let mut m = Machine { stack: Vec::new(), count: n * 1000, errors: 0 };
    println!("{} {}", run(&mut m, &code), m.errors);
}
