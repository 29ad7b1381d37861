//! Settings that the library names in backquotes (`until_ess`), as the flags that a person types (--until-ess).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use clap::CommandFactory;

use crate::Cli;

/// Every flag of every command.
static FLAGS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let commands = Cli::command();
    let arguments = commands.get_subcommands().flat_map(|command| command.get_arguments());
    arguments.filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
});

/// The text with flags in the place of settings; other words in backquotes stay.
pub fn with_flags(text: &str) -> Cow<'_, str> {
    let mut pieces = text.split('`');
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    // Whether the last piece was a flag, which has taken the backquote after it.
    let mut is_taken = false;
    for piece in pieces {
        let flag = piece.replace('_', "-");
        if !is_taken && FLAGS.contains(&flag) {
            shown.push_str("--");
            shown.push_str(&flag);
            is_taken = true;
        } else {
            if !is_taken {
                shown.push('`');
            }
            shown.push_str(piece);
            is_taken = false;
        }
    }
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

#[cfg(test)]
mod tests {
    use super::with_flags;

    #[test]
    fn settings_become_flags_and_nothing_else_changes() {
        for (said, shown) in [
            ("`dims`: 0 is too few", "--dims: 0 is too few"),
            ("give `until_ess` E, or use `draws`", "give --until-ess E, or use --draws"),
            ("`keep` summary", "--keep summary"),
            ("`sbmds fit --resume --out run`", "`sbmds fit --resume --out run`"),
            ("the object `a` and `out`", "the object `a` and --out"),
            ("one ` alone", "one ` alone"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(with_flags(said), shown);
        }
    }
}
