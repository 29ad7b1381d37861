//! Options that people spell as words: one list serves parsing, printing and the error message.

/// Gives an enum `FromStr` (whose error lists the choices) and `Display`.
macro_rules! spelled {
    ($type:ident, $what:literal, $($variant:ident => $word:literal),+ $(,)?) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(match self { $(Self::$variant => $word),+ })
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::dissimilarity::words::not_among(word, $what, &[$($word),+])),
                }
            }
        }
    };
}
pub(super) use spelled;

/// The message for a word that is none of the choices.
pub(super) fn not_among(word: &str, what: &str, choices: &[&str]) -> String {
    let (last, others) = choices.split_last().unwrap_or((&"", &[]));
    format!("\"{}\" is no {what}; choose {} or {last}", super::error::shortened(word), others.join(", "))
}
