//! A random matrix with gaps, written in every format, reads back bit for bit.

use proptest::prelude::*;

use super::writers::Table;
use super::{names_of, read_auto};

/// Names of one word of at most ten characters, as PHYLIP wants them.
const PLAIN: &str = "[a-zA-Z_/][a-zA-Z0-9_/.-]{0,6}";
/// Names with everything that needs quotes.
const WILD: &str = "[a-zA-Z_é][a-zA-Z0-9 ,;\t\"ß'.-]{0,12}[a-zé]";

fn table(name: &'static str) -> impl Strategy<Value = Table> {
    (3_usize..9)
        .prop_flat_map(move |n| {
            let names = prop::collection::hash_set(name, n).prop_map(|names| names.into_iter().collect::<Vec<_>>());
            let value = prop_oneof![4 => 0.0..1e3_f64, 1 => Just(f64::NAN), 1 => Just(0.0), 1 => 1e-300..1e-290];
            (names, prop::collection::vec(value, n * n))
        })
        .prop_filter("a measured pair", |(_, values): &(Vec<String>, Vec<f64>)| !values[1].is_nan())
        .prop_map(|(names, values)| {
            let n = names.len();
            Table::new(names, |a, b| values[a * n + b])
        })
}

fn check(table: &Table, file: &str, content: &[u8]) -> Result<(), TestCaseError> {
    let shown = || String::from_utf8_lossy(content).into_owned();
    let input = read_auto(file, content).map_err(|error| TestCaseError::fail(format!("{error}\n{}", shown())))?;
    if !file.ends_with(".npy") {
        prop_assert_eq!(&names_of(&input), &table.names);
    }
    for a in 0..table.len() {
        for b in 0..table.len() {
            let (expected, found) = (table.values[a][b], input.get(a, b));
            prop_assert!(
                expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan()),
                "({a}, {b}): {expected} became {found} in\n{}",
                shown()
            );
        }
    }
    let n_measured = (0..table.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let n_measured = n_measured.filter(|&(a, b)| !table.values[a][b].is_nan()).count();
    prop_assert_eq!(input.measured_pairs().map_or(n_measured, <[_]>::len), n_measured);
    Ok(())
}

proptest! {
    #![proptest_config(super::cases(256))]

    #[test]
    fn delimited_matrices((table, seed) in (table(WILD), any::<u64>())) {
        let given: Vec<usize> = (0..table.len()).collect();
        let mut order = given.clone();
        order.rotate_left(seed as usize % table.len());
        order.swap(0, 1);
        for (delimiter, corner) in [(",", ""), ("\t", "TAXA"), (";", "\"x;y\""), (" ,  ", "name")] {
            check(&table, "d.csv", &table.delimited(delimiter, corner, &given, |_, _| true))?;
            check(&table, "d.csv", &table.delimited(delimiter, corner, &order, |_, _| true))?;
            check(&table, "d.csv", &table.delimited(delimiter, corner, &order, |a, b| a > b))?;
            check(&table, "d.csv", &table.delimited(delimiter, corner, &order, |a, b| a <= b))?;
        }
        let mut windows = vec![0xef, 0xbb, 0xbf];
        for byte in table.delimited(",", "", &given, |_, _| true) {
            windows.extend(if byte == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(&byte) });
        }
        check(&table, "d.csv", &windows)?;
    }

    #[test]
    fn blank_separated_matrices(table in table("[a-z][a-z ]{0,9}[a-z]")) {
        check(&table, "d.txt", &table.like_r())?;
    }

    #[test]
    fn phylip(table in table(PLAIN), per_line in 1_usize..12) {
        let n = table.len();
        for width in [10, 11] {
            for content in [
                table.phylip(width, n, |_| n),
                table.phylip(width, per_line, |_| n),
                table.phylip(width, n, |k| k),
                table.phylip(width, per_line.max(2), |k| k),
                table.phylip(width, n, |k| k + 1),
                table.phylip(width, per_line.max(2), |k| k + 1),
            ] {
                check(&table, "d.phy", &content)?;
                check(&table, "d.txt", &content)?;
            }
        }
    }

    #[test]
    fn strict_phylip_with_blanks_in_names(table in table("[a-z]{2} [a-z]{7}")) {
        let n = table.len();
        for content in [
            table.phylip(10, n, |_| n),
            table.phylip(10, 2, |_| n),
            table.phylip(10, n, |k| k),
            table.phylip(10, n, |k| k + 1),
        ] {
            check(&table, "d.phy", &content)?;
        }
    }

    #[test]
    fn edge_lists(table in table(WILD)) {
        check(&table, "d.csv", &table.edges(""))?;
        check(&table, "d.csv", &table.edges("from,to,distance\n"))?;
    }

    #[test]
    fn arrays(table in table(PLAIN)) {
        for column_major in [false, true] {
            check(&table, "d.npy", &table.npy("<f8", column_major))?;
            check(&table, "d.npy", &table.npy(">f8", column_major))?;
            check(&table, "d.npy", &table.only(|a, b| a < b).npy("<f8", column_major))?;
            check(&table, "d.npy", &table.only(|a, b| a > b).npy("<f8", column_major))?;
        }
        let single = Table::new(table.names.clone(), |a, b| f64::from(table.values[a][b] as f32));
        check(&single, "d.npy", &single.npy("<f4", false))?;
        check(&single, "d.npy", &single.npy(">f4", true))?;
        let whole = Table::new(table.names.clone(), |a, b| (7 * a + b) as f64);
        for code in ["|i1", "|u1", "<i2", ">u2", "<i4", ">u4", ">i8", "<u8"] {
            check(&whole, "d.npy", &whole.npy(code, false))?;
        }
    }
}
