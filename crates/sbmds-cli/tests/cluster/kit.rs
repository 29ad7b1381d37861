//! Small data with known groups.

use std::fmt::Write;

/// Scattered by a fixed rule: multiples of irrational numbers, modulo 1.
fn scatter(n: usize) -> [f64; 2] {
    [0.618_033_988_75, 0.414_213_562_37].map(|number| (n as f64 * number).fract() - 0.5)
}

/// The group of object `n`: three groups, in turns, of 20, 16 and 12 objects, and two loners.
pub fn group(n: usize) -> Option<usize> {
    match n {
        48 | 49 => None,
        n if n < 36 => Some(n % 3),
        n if n < 44 => Some(n % 2),
        _ => Some(0),
    }
}

pub const N_OBJECTS: usize = 50;

pub fn location(n: usize) -> [f64; 2] {
    let [x, y] = scatter(n);
    match group(n) {
        Some(group) => [x + [0.0, 6.0, 3.0][group], y + [0.0, 0.0, 5.0][group]],
        None => [20.0, if n == 48 { -15.0 } else { 15.0 }],
    }
}

/// Points as a table, in the order of `rows`.
pub fn points(rows: &[usize]) -> String {
    let mut text = String::from("name,east,north\n");
    for &n in rows {
        let [x, y] = location(n);
        writeln!(text, "o{n},{x},{y}").unwrap();
    }
    text
}

/// Distances between them with small errors, as a labelled matrix.
pub fn distances() -> String {
    let mut text: String = (0..N_OBJECTS).map(|n| format!(",o{n}")).collect();
    for a in 0..N_OBJECTS {
        write!(text, "\no{a}").unwrap();
        for b in 0..N_OBJECTS {
            let ([x, y], [u, v]) = (location(a), location(b));
            let error = 0.2 * (((a.min(b) * 57 + a.max(b)) as f64 * 0.732_050_807_57).fract() - 0.5);
            let delta = if a == b { 0.0 } else { ((x - u).hypot(y - v) + error).abs() };
            write!(text, ",{delta}").unwrap();
        }
    }
    text + "\n"
}
