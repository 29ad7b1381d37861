//! The same fit again, with one thing changed, as a command to paste.

use std::borrow::Cow;
use std::path::Path;

use sbmds::run::Summary;

/// The present command with the couplings that the verdict on the map advises; `None` if it advises none, or if the present command is
/// no `fit` that names its input.
pub fn with_more_couplings(summary: &Summary, directory: &Path) -> Option<String> {
    let couplings = summary.map.as_ref()?.more_couplings.as_ref()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_new_fit = words.first().is_some_and(|word| word == "fit") && !words.iter().any(|word| word == "--resume");
    is_new_fit.then(|| format!("\nTo couple more pairs: {}", command(&words, couplings, directory)))
}

fn command(words: &[String], couplings: &str, directory: &Path) -> String {
    let out = format!("{}-{}", directory.display(), couplings.replace(':', "-"));
    let kept = without(words, &["--couplings", "--out"]);
    let changed = ["--couplings", couplings, "--out", &out].map(quoted);
    let all = std::iter::once("sbmds".into()).chain(kept.iter().map(|word| quoted(word))).chain(changed);
    all.collect::<Vec<Cow<str>>>().join(" ")
}

/// The words without these flags and their values.
fn without(words: &[String], flags: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if flags.contains(&word.as_str()) {
            words.next();
        } else if !flags.iter().any(|flag| word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))) {
            kept.push(word.clone());
        }
    }
    kept
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''")).into()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::command;

    fn again(line: &[&str], directory: &str) -> String {
        command(&line.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), "dispersed:120", Path::new(directory))
    }

    #[test]
    fn the_command_keeps_every_other_flag() {
        let line = ["fit", "my data.npy", "--features", "--couplings", "band:3", "--metric=cosine", "--out=x y"];
        assert_eq!(
            again(&line, "x y"),
            "sbmds fit 'my data.npy' --features --metric=cosine --couplings dispersed:120 --out 'x y-dispersed-120'"
        );
        assert_eq!(
            again(&["fit", "--couplings=band:5", "d/it's.csv"], "it's-fit"),
            r"sbmds fit 'd/it'\''s.csv' --couplings dispersed:120 --out 'it'\''s-fit-dispersed-120'"
        );
    }
}
