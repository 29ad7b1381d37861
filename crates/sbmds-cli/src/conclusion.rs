//! What the program says and shows when a fit has ended.

use std::path::Path;
use std::time::Instant;

use sbmds::run::{FinishedRun, Outcome, RunDirectory, Summary};

use crate::failure::Failure;
use crate::say::{say, warn};
use crate::{advice, report, summary};

/// What there is to conclude from a fit.
pub struct Conclusion<'a> {
    pub run: &'a Path,
    /// Whether to write the report.
    pub shows: bool,
    /// Whether to draw the map in the terminal, too.
    pub draws_map: bool,
    pub start: Instant,
    pub n_threads: usize,
}

impl Conclusion<'_> {
    /// Shows what there is to see and says how to go on.
    pub fn of(&self, outcome: Outcome) -> Result<(), Failure> {
        let run = self.run;
        let (shown, go_on) = (run.display(), advice::resume(run));
        match outcome {
            Outcome::Finished(fitted) => {
                say(format_args!("{shown}: finished in {:.1} s", self.start.elapsed().as_secs_f64()));
                self.show(&fitted);
                say_what_is_shown(fitted.summary(), run);
                verdict(run, fitted.summary())
            }
            Outcome::FinishedBefore(summary) => {
                say(format_args!("{shown}: this run is finished; {go_on} --draws N goes on to N draws of each chain"));
                if !report::is_there(run) {
                    self.show(&FinishedRun::open(run)?);
                }
                say_what_is_shown(&summary, run);
                verdict(run, &summary)
            }
            Outcome::TimeUp(Some(fitted)) => {
                say(format_args!(
                    "{shown}: the time is up after {} draws of each chain. Go on with: {go_on}",
                    fitted.summary().n_draws
                ));
                self.show(&fitted);
                say_what_is_shown(fitted.summary(), run);
                verdict(run, fitted.summary())
            }
            Outcome::TimeUp(None) => Err(Failure::interrupted(format!(
                "the time is up before every chain had ended its warm-up, so that there is no map yet; everything is saved. Go on \
                 with: {go_on}"
            ))),
            Outcome::Interrupted => {
                Err(Failure::interrupted(format!("interrupted; everything is saved. Go on with: {go_on}")))
            }
        }
    }

    /// Draws the map and writes the report. What fails here leaves a good fit a good fit.
    fn show(&self, run: &FinishedRun) {
        if !self.shows {
            return;
        }
        let directory = run.path();
        let map = if self.draws_map { summary::map_for_terminal(directory) } else { None };
        if let Some(map) = map {
            println!("\n{map}");
        }
        match report::write_into(run, self.n_threads) {
            Ok(()) => say(format_args!("report: {}", report::default_path(directory).display())),
            Err(failure) => warn(format_args!("the fit is complete, but its report is not: {}", failure.message())),
        }
    }
}

/// Says which map the files hold, if it is not plainly the mean of all draws.
fn say_what_is_shown(summary: &Summary, directory: &Path) {
    for sentence in summary.shown.sentences() {
        say(format_args!("note: {}", sentence.replace("RUN", &directory.display().to_string())));
    }
}

/// Says both verdicts and what to do next; ends well or with exit code 1, by that on the chains alone. One of
/// several chains ends well: the verdict is on all of them.
fn verdict(run: &Path, summary: &Summary) -> Result<(), Failure> {
    let config = RunDirectory::open(run).map(|(_, config)| config).ok();
    if let Some((chain, chains)) = config.as_ref().and_then(|config| Some((config.run.chain?, config.run.chains))) {
        say(format_args!(
            "{}\nThis is chain {chain} of {chains}, and one chain cannot tell whether all agree. When all are there: sbmds combine \
             RUN RUN ... --out ALL",
            summary::verdicts(summary)
        ));
        return Ok(());
    }
    let next = config.map(|config| advice::after(run, &config, summary)).unwrap_or_default();
    let text = std::iter::once(summary::verdicts(summary)).chain(next).collect::<Vec<_>>().join("\n");
    if summary.converged {
        say(&text);
        return Ok(());
    }
    Err(Failure::not_converged(text))
}
