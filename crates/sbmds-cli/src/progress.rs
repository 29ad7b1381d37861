//! Progress on stderr: bars for people, JSON lines for programs, a few words otherwise.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use sbmds::Locations;
use sbmds::dissimilarity::Names;
use sbmds::run::{ChainProgress, Observer};

use crate::say::say;
use crate::summary;
use crate::time_left::{TimeLeft, spoken};

/// How a run is watched.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum WatchMode {
    /// Bars if stderr is a terminal.
    Auto,
    /// One JSON object per chain and second.
    Json,
    /// Neither.
    None,
}

/// Tells the user how a run goes.
pub enum Watch {
    /// A bar per chain, made when the chain first reports.
    Bars { bars: MultiProgress, of_chain: Mutex<Vec<Option<ProgressBar>>> },
    /// JSON lines, and when each chain had its last.
    Json(Mutex<Vec<Option<Instant>>>),
    /// Only what is worth a line: now and then how long it will take.
    Lines(Mutex<Lines>),
    /// Notes and warnings alone.
    Quiet,
}

/// When the time left was last said.
pub struct Lines {
    left: TimeLeft,
    next: Instant,
}

/// Time until the first word about how long a run takes, and between such words.
const FIRST_WORD: Duration = Duration::from_secs(20);
const BETWEEN_WORDS: Duration = Duration::from_secs(60);

/// Time between JSON lines of a chain.
const JSON_INTERVAL: Duration = Duration::from_secs(1);

impl Watch {
    pub fn new(mode: WatchMode, n_chains: usize) -> Self {
        match mode {
            WatchMode::Auto if std::io::stderr().is_terminal() => {
                Self::Bars { bars: MultiProgress::new(), of_chain: Mutex::default() }
            }
            WatchMode::Json => Self::Json(Mutex::default()),
            WatchMode::Auto => {
                let next = Instant::now() + FIRST_WORD;
                Self::Lines(Mutex::new(Lines { left: TimeLeft::new(n_chains), next }))
            }
            WatchMode::None => Self::Quiet,
        }
    }

    /// Leaves the terminal to what comes next.
    pub fn end(&self) {
        if let Self::Bars { of_chain, .. } = self {
            let of_chain = of_chain.lock().unwrap_or_else(PoisonError::into_inner);
            of_chain.iter().flatten().for_each(ProgressBar::abandon);
        }
    }

    fn line(&self, text: &str) {
        match self {
            Self::Bars { bars, .. } => bars.suspend(|| say(text)),
            // JSON is escaped already and must stay whole.
            Self::Json(_) => say_json(text),
            Self::Lines(_) | Self::Quiet => say(text),
        }
    }
}

impl Observer for Watch {
    fn note(&self, text: &str) {
        match self {
            Self::Json(_) => self.line(&serde_json::json!({ "note": text }).to_string()),
            _ => self.line(text),
        }
    }

    fn warn(&self, text: &str) {
        match self {
            Self::Json(_) => self.line(&serde_json::json!({ "warning": text }).to_string()),
            _ => self.line(&format!("warning: {text}")),
        }
    }

    fn progress(&self, progress: &ChainProgress) {
        match self {
            Self::Bars { bars, of_chain } => {
                let mut of_chain = of_chain.lock().unwrap_or_else(PoisonError::into_inner);
                let bar = slot(&mut of_chain, progress.chain).get_or_insert_with(|| new_bar(bars, progress));
                show(bar, progress);
            }
            Self::Json(latest) => {
                let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                let latest = slot(&mut latest, progress.chain);
                if progress.is_done() || latest.is_none_or(|latest| latest.elapsed() >= JSON_INTERVAL) {
                    *latest = Some(Instant::now());
                    say_json(&serde_json::to_string(progress).unwrap_or_default());
                }
            }
            Self::Lines(lines) => lines.lock().unwrap_or_else(PoisonError::into_inner).say(progress),
            Self::Quiet => {}
        }
    }

    fn first_map(&self, names: &Names, map: &Locations) {
        if let Some(drawn) = summary::drawn_for_terminal(names, map) {
            self.line(&format!("\n{drawn}"));
        }
    }
}

impl Lines {
    /// Takes note, and says the time left when it is due and known.
    fn say(&mut self, progress: &ChainProgress) {
        let now = Instant::now();
        self.left.note(progress, now);
        let Some(seconds) = self.left.seconds().filter(|_| now >= self.next) else { return };
        self.next = now + BETWEEN_WORDS;
        say(format_args!(
            "{:.0}% of the iterations are done, about {} to go",
            100.0 * self.left.share(),
            spoken(seconds)
        ));
    }
}

/// A line of JSON on stderr, if anybody listens.
fn say_json(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The entry of a chain, made when it first reports.
fn slot<T>(of_chain: &mut Vec<Option<T>>, chain: usize) -> &mut Option<T> {
    if of_chain.len() <= chain {
        of_chain.resize_with(chain + 1, || None);
    }
    &mut of_chain[chain]
}

fn new_bar(bars: &MultiProgress, progress: &ChainProgress) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix} [{bar:24}] {pos:>6}/{len} eta {eta:>4}  {msg}");
    // Among the others before it is first drawn, or it would draw itself once more elsewhere.
    let bar = bars.add(ProgressBar::new(progress.n_iterations as u64));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar.set_prefix(format!("chain {}", progress.chain));
    // A resumed chain has not made its first iterations now: they say nothing about the time to come.
    bar.set_position(progress.iteration as u64);
    bar.reset_eta();
    bar
}

fn show(bar: &ProgressBar, progress: &ChainProgress) {
    bar.set_length(progress.n_iterations as u64);
    bar.set_position(progress.iteration as u64);
    let stage = if progress.iteration < progress.n_warmup { "warm-up" } else { "drawing" };
    bar.set_message(format!(
        "{stage}  accepted {:>3.0}%  step {:.2e}  divergences {}",
        100.0 * progress.acceptance,
        progress.step_size,
        progress.divergences
    ));
    if progress.is_done() {
        bar.abandon();
    }
}
