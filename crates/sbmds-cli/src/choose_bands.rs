//! What `sbmds choose --bands` prints and writes.

use std::path::Path;

use sbmds::choose::{BandsChoice, BandsRow, draw_bands, write_bands_csv};
use sbmds::figures::write;
use sbmds::files::replace_with;
use sbmds::run::digits;
use serde::Serialize;

use crate::failure::Failure;
use crate::say::{say, warn};

/// What `--json` prints.
#[derive(Serialize)]
struct Said<'a> {
    advice: &'a str,
    n_objects: usize,
    n_dims: usize,
    n_held_out: usize,
    rule: usize,
    rows: &'a [BandsRow],
}

/// Writes table and figure, and says what they say.
pub fn conclude_bands(choice: &BandsChoice, directory: &Path, json: bool) -> Result<(), Failure> {
    let (rows, advice) = (choice.rows(), choice.advice());
    let (table, figure) = (directory.join("bands.csv"), directory.join("bands.svg"));
    replace_with(&table, |file| Ok(write_bands_csv(file, &rows)?))
        .map_err(|error| Failure::bad_input(format!("{}: cannot be written: {error}", table.display())))?;
    write(&draw_bands(choice), &figure)?;
    if json {
        let BandsChoice { n_objects, n_dims, n_held_out, .. } = *choice;
        let said = Said { advice: &advice, n_objects, n_dims, n_held_out, rule: choice.rule(), rows: &rows };
        println!("{}", serde_json::to_string_pretty(&said).map_err(Failure::bad_input)?);
    } else {
        print!("{}\n{advice}\n", text(choice, &rows));
    }
    say(format_args!("{}\n{}", table.display(), figure.display()));
    warn_of_chains(&rows);
    Ok(())
}

fn text(choice: &BandsChoice, rows: &[BandsRow]) -> String {
    let BandsChoice { n_objects, n_held_out, .. } = choice;
    let mut text = format!("{n_objects} objects, judged by {n_held_out} pairs that no fit saw\n\nbands");
    let has_rate = rows.iter().any(|row| row.rate.is_some());
    let titles = ["pairs", "error", "falls by", "+-", "width", "coverage", "sigma"];
    titles.iter().for_each(|title| text += &format!("{title:>10}"));
    if has_rate {
        text += &format!("{:>10}{:>10}", "rate", "+-");
    }
    text += "  moved\n";
    let percent = |share: Option<f64>| share.map_or("-".into(), |share| format!("{:.1}%", 100.0 * share));
    let known = |number: Option<f64>| number.map_or("-".into(), digits);
    for row in rows {
        text += &format!("{:>4}{}{:>10}", row.bands, if row.taken { "*" } else { " " }, row.n_pairs);
        text += &format!("{:>10}{:>10}{:>10}", digits(row.rmse), percent(row.rmse_fall), percent(row.rmse_fall_se));
        text += &format!("{:>10}{:>10}{:>10}", digits(row.width), percent(Some(row.coverage)), digits(row.sigma));
        if has_rate {
            text += &format!("{:>10}{:>10}", known(row.rate), known(row.rate_sd));
        }
        let moved = match (row.rmse_fall, row.moved.as_str()) {
            (None, _) => "",
            (Some(_), "") => "nothing",
            (Some(_), moved) => moved,
        };
        text = format!("{text}  {moved}").trim_end().to_owned() + "\n";
    }
    text
}

fn warn_of_chains(rows: &[BandsRow]) {
    let running: Vec<String> = rows.iter().filter(|row| !row.converged).map(|row| row.bands.to_string()).collect();
    if !running.is_empty() {
        warn(format_args!(
            "the chains with {} bands have not converged. Remedy: more --warmup and --draws",
            running.join(", ")
        ));
    }
}
