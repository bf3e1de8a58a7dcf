// SPDX-License-Identifier: MIT
// calc ROUNDS: makes expressions, parses them to trees and evaluates these; most of its code runs seldom.
use std::collections::HashMap;
use std::env;
use std::fmt;

#[derive(Debug)]
enum Problem {
    Unexpected(u8, usize),
    End,
    Unknown(String),
    DivisionByZero,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Problem::Unexpected(byte, at) => write!(f, "unexpected {} at {}", *byte as char, at),
            Problem::End => write!(f, "unexpected end"),
            Problem::Unknown(name) => write!(f, "unknown name {}", name),
            Problem::DivisionByZero => write!(f, "division by zero"),
        }
    }
}

enum Tree {
    Number(i64),
    Name(String),
    Negative(Box<Tree>),
    Binary(u8, Box<Tree>, Box<Tree>),
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> Option<u8> {
        while self.at < self.text.len() && self.text[self.at] == b' ' {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn sum(&mut self) -> Result<Tree, Problem> {
        let mut left = self.product()?;
        while let Some(sign) = self.peek() {
            if sign != b'+' && sign != b'-' {
                break;
            }
            self.at += 1;
            left = Tree::Binary(sign, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Tree, Problem> {
        let mut left = self.atom()?;
        while let Some(sign) = self.peek() {
            if sign != b'*' && sign != b'/' && sign != b'%' {
                break;
            }
            self.at += 1;
            left = Tree::Binary(sign, Box::new(left), Box::new(self.atom()?));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Tree, Problem> {
        match self.peek() {
            None => Err(Problem::End),
            Some(b'-') => {
                self.at += 1;
                Ok(Tree::Negative(Box::new(self.atom()?)))
            }
            Some(b'(') => {
                self.at += 1;
                let inner = self.sum()?;
                match self.peek() {
                    Some(b')') => {
                        self.at += 1;
                        Ok(inner)
                    }
                    Some(byte) => Err(Problem::Unexpected(byte, self.at)),
                    None => Err(Problem::End),
                }
            }
            Some(byte) if byte.is_ascii_digit() => {
                let mut value = 0i64;
                while self.at < self.text.len() && self.text[self.at].is_ascii_digit() {
                    value = value.wrapping_mul(10) + (self.text[self.at] - b'0') as i64;
                    self.at += 1;
                }
                Ok(Tree::Number(value))
            }
            Some(byte) if byte.is_ascii_lowercase() => {
                let begin = self.at;
                while self.at < self.text.len() && self.text[self.at].is_ascii_lowercase() {
                    self.at += 1;
                }
                Ok(Tree::Name(String::from_utf8_lossy(&self.text[begin..self.at]).to_string()))
            }
            Some(byte) => Err(Problem::Unexpected(byte, self.at)),
        }
    }
}

fn evaluate(tree: &Tree, names: &HashMap<String, i64>) -> Result<i64, Problem> {
    match tree {
        Tree::Number(value) => Ok(*value),
        Tree::Name(name) => names.get(name).copied().ok_or_else(|| Problem::Unknown(name.clone())),
        Tree::Negative(inner) => Ok(evaluate(inner, names)?.wrapping_neg()),
        Tree::Binary(sign, left, right) => {
            let (a, b) = (evaluate(left, names)?, evaluate(right, names)?);
            match sign {
                b'+' => Ok(a.wrapping_add(b)),
                b'-' => Ok(a.wrapping_sub(b)),
                b'*' => Ok(a.wrapping_mul(b)),
                _ if b == 0 => Err(Problem::DivisionByZero),
                b'/' => Ok(a.wrapping_div(b)),
                _ => Ok(a.wrapping_rem(b)),
            }
        }
    }
}

fn main() {
    let rounds: u64 = env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut names = HashMap::new();
    let mut random = 1u64;
    let (mut sum, mut problems) = (0i64, 0u64);
    names.insert("x".to_string(), 3);
    names.insert("width".to_string(), 70);
    for round in 0..rounds {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (a, b) = (random >> 40, random >> 50 & 7);
        let text = match random >> 33 & 15 {
            0 => format!("({} + x) / {}", a, b),
            1 => format!("-{} * (width - {}", a, b),
            2 => format!("{} % y", a),
            3..=8 => format!("{} + {} * ({} - {}) + {}", a, b, round, a, b),
            _ => format!("({} + {}) * ({} - {} * 2) - {}", b, a, a, round, b),
        };
        let mut parser = Parser { text: text.as_bytes(), at: 0 };
        match parser.sum().and_then(|tree| evaluate(&tree, &names)) {
            Ok(value) => sum = sum.wrapping_add(value),
            Err(problem) => problems += problem.to_string().len() as u64,
        }
    }
    println!("{} {}", sum, problems);
}
