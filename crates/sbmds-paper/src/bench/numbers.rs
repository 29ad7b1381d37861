//! Numbers for people: thousands apart, three significant digits.

/// 1234567 as `1,234,567`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Three significant digits, without an exponent.
pub fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 99.95 => format!("{number:.0}"),
        size if size >= 9.995 => format!("{number:.1}"),
        size if size >= 0.1 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, short};

    #[test]
    fn thousands_are_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (49_995_000, "49,995,000")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn three_digits_are_enough() {
        for (number, text) in [(123.4, "123"), (99.96, "100"), (12.34, "12.3"), (1.234, "1.23"), (0.0123, "0.012")] {
            assert_eq!(short(number), text);
        }
    }
}
