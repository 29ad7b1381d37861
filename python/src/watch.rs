//! What a fit says while it works, collected until Python asks for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sbmds::fit::{ChainProgress, Observer};

/// How far the chains are, and what was said.
#[derive(Default)]
pub struct Watch(Mutex<Seen>);

/// What was seen since Python last asked.
#[derive(Default)]
pub struct Seen {
    pub chains: Vec<Option<ChainProgress>>,
    pub notes: Vec<String>,
    pub warnings: Vec<String>,
}

impl Watch {
    /// The state of the chains, and what is new.
    pub fn take(&self) -> Seen {
        let mut seen = self.lock();
        Seen {
            chains: seen.chains.clone(),
            notes: std::mem::take(&mut seen.notes),
            warnings: std::mem::take(&mut seen.warnings),
        }
    }

    /// A holder that panicked left whole sentences.
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watch {
    fn note(&self, text: &str) {
        self.lock().notes.push(text.into());
    }

    fn warn(&self, text: &str) {
        self.lock().warnings.push(text.into());
    }

    fn progress(&self, progress: &ChainProgress) {
        let chains = &mut self.lock().chains;
        if chains.len() <= progress.chain {
            chains.resize(progress.chain + 1, None);
        }
        chains[progress.chain] = Some(*progress);
    }
}
