//! A sink of one's own: sigma of every draw is written as soon as it is made, and the draws stay in memory as usual.

use std::io::Write;
use std::sync::Mutex;

use sbmds::draws::{Buffered, Draw, DrawReader};
use sbmds::fit::{ChainSink, DrawSink, MemorySink};
use sbmds::{Dissimilarities, Fit, Locations, Names, RunError};

/// Hands draws on to memory, and writes a line about each.
struct Told<'a, W: Write + Send> {
    memory: MemorySink,
    /// Where sigma is among the numbers of a draw.
    sigma: usize,
    to: &'a Mutex<W>,
}

impl<W: Write + Send> DrawSink for Told<'_, W> {
    fn reference(&self) -> Result<Option<Locations>, RunError> {
        self.memory.reference()
    }

    fn chain(&self, chain: usize) -> Result<Box<dyn ChainSink + '_>, RunError> {
        Ok(Box::new(ToldChain { memory: self.memory.chain(chain)?, number: chain, all: self }))
    }

    fn reader(&self) -> Result<DrawReader, RunError> {
        self.memory.reader()
    }
}

/// One chain of it.
struct ToldChain<'a, 'b, W: Write + Send> {
    memory: Box<dyn ChainSink + 'a>,
    number: usize,
    all: &'a Told<'b, W>,
}

impl<W: Write + Send> ChainSink for ToldChain<'_, '_, W> {
    fn n_draws(&self) -> usize {
        self.memory.n_draws()
    }

    fn push(&mut self, draw: &Draw<'_>) -> Result<(), RunError> {
        let mut to = self.all.to.lock().expect("no chain panicked");
        writeln!(to, "{},{},{}", self.number + 1, self.n_draws() + 1, draw.scalars[self.all.sigma]).expect("room");
        self.memory.push(draw)
    }

    fn buffered(&mut self) -> Result<Buffered, RunError> {
        self.memory.buffered()
    }
}

/// A fit, and what is to hold of it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Corners and centre of a square: (0, 1), (0, 2), ... (3, 4).
    let values = [1.0, 1.4, 1.0, 0.7, 1.0, 1.4, 0.7, 1.0, 0.7, 0.7];
    let data = Dissimilarities::from_condensed(Names::numbered(5), &values)?;
    let fit = || Fit::of(&data).chains(2).draws(100).seed(1);
    let lines = Mutex::new(Vec::new());
    let told = fit().run_into(|plan| {
        let sigma = plan.variables.iter().position(|variable| variable.name == "sigma").expect("every fit has sigma");
        Ok(Box::new(Told { memory: MemorySink::new(plan)?, sigma, to: &lines }))
    })?;
    let lines = String::from_utf8(lines.into_inner()?)?;
    println!("chain,draw,sigma\n{}", lines.lines().take(3).collect::<Vec<_>>().join("\n"));
    assert_eq!(lines.lines().count(), 200);
    let last = lines.lines().rfind(|line| line.starts_with("2,")).expect("chain 2 has draws");
    assert!(last.ends_with(&format!(",{}", told.draws().scalar("sigma", 1)?[99])));
    assert_eq!(told.map().mean, fit().run()?.map().mean, "a sink changes no draw");
    Ok(())
}
