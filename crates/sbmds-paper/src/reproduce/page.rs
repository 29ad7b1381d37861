//! The Markdown page of an experiment.

use std::fmt::Write;

use super::run::Limits;
use super::{About, Experiment, Page, Scale, Table};

/// The whole page.
pub(super) fn markdown(
    page: &Page,
    experiment: &dyn Experiment,
    scale: Scale,
    limits: &Limits,
    n_left_out: usize,
) -> String {
    let About { name, source, summary, full, .. } = experiment.about();
    let mut text = format!("# {name}: {summary}\n\n{source}.\n\n![{summary}]({name}.png)\n\n");
    text += &format!("    sbmds reproduce {name} {}{}{}\n", scale.flag(), experiment.flags(), limits.flags());
    if let Some(full) = full.filter(|_| scale != Scale::Full) {
        text += &format!("\nThis page was made with few settings, repeats or draws; `--full` has {full}.\n");
    }
    if let Some(sentence) = experiment.left_out(scale) {
        text += &format!("\n{sentence}\n");
    }
    if n_left_out > 0 {
        let flags = limits.flags();
        text += &format!("\n{n_left_out} cells of the whole experiment were left out ({}).\n", flags.trim());
    }
    for paragraph in &page.about {
        text += &format!("\n{paragraph}\n");
    }
    for (sentence, table) in &page.comparisons {
        text += &format!("\n{sentence}\n\n{}", rows(table));
    }
    if !page.remarks.is_empty() {
        text += "\n";
    }
    for remark in &page.remarks {
        text += &format!("- {remark}\n");
    }
    text + &format!("\nAll numbers: `{name}.csv`; every single fit: `{name}.cells.jsonl`.\n")
}

/// A table in Markdown.
fn rows(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&table.columns);
    let _ = writeln!(text, "|{}", "---|".repeat(table.columns.len()));
    table.rows.iter().for_each(|row| text += &line(row));
    text
}

/// A number for a page: three significant digits, nothing for NaN.
pub(super) fn short(number: f64) -> String {
    if !number.is_finite() {
        return String::new();
    }
    if number != 0.0 && !(1e-4..1e6).contains(&number.abs()) {
        return format!("{number:.2e}");
    }
    let before_point = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    format!("{number:.*}", (2 - before_point).max(0) as usize)
}

/// A number for a file: enough digits, nothing for NaN.
pub(super) fn exact(number: f64) -> String {
    if number.is_finite() {
        format!("{number:.6e}").parse::<f64>().unwrap_or(number).to_string()
    } else {
        String::new()
    }
}

/// Ours over theirs.
pub(super) fn ratio(ours: f64, authors: Option<f64>) -> String {
    authors.map_or(String::new(), |authors| format!("{:.2}", ours / authors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_on_pages_and_enough_in_files() {
        let numbers = [0.0957735, 4.094e-5, 12345.6, 0.0, 1.0, f64::NAN];
        assert_eq!(numbers.map(short), ["0.0958", "4.09e-5", "12346", "0.00", "1.00", ""]);
        assert_eq!([0.1 + 0.2, f64::NAN].map(exact), ["0.3", ""]);
        assert_eq!((ratio(1.0, Some(3.0)), ratio(1.0, None)), ("0.33".into(), String::new()));
    }
}
