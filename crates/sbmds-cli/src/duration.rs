//! Lengths of time as people type them: 90, 90s, 10m, 1.5h, 1h30m.

use std::time::Duration;

/// Reads a length of time above zero; a plain number is seconds.
pub fn parse(text: &str) -> Result<Duration, String> {
    let problem = || {
        format!("{text:?} is no length of time: write seconds, minutes or hours, such as 90, 90s, 10m, 1.5h or 1h30m")
    };
    let (mut seconds, mut rest) = (0.0, text.trim());
    if rest.is_empty() {
        return Err(problem());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().map_err(|_| problem())?;
        let (unit, after) = unit(&rest[end..]).ok_or_else(problem)?;
        seconds += number * unit;
        rest = after;
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(problem)
}

/// Seconds of the unit at the start of a text, and what follows it.
fn unit(text: &str) -> Option<(f64, &str)> {
    const UNITS: [(&str, f64); 5] = [("min", 60.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0), ("d", 86_400.0)];
    if text.is_empty() {
        return Some((1.0, text));
    }
    UNITS.iter().find_map(|(name, seconds)| Some((*seconds, text.strip_prefix(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        for (text, seconds) in [
            ("90", 90.0),
            ("90s", 90.0),
            ("10m", 600.0),
            ("1.5h", 5400.0),
            ("1h30m", 5400.0),
            ("0.5", 0.5),
            ("2min", 120.0),
        ] {
            assert_eq!(parse(text).unwrap().as_secs_f64(), seconds, "{text}");
        }
        for text in ["", "ten", "0", "-5m", "5x", "m", "1e999", "1..2s", "99999999999999999999999h"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
