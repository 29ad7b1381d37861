//! What the growing of couplings says, in one line.

use super::{BandsChoice, Rung};

impl BandsChoice {
    /// Which number of bands to take, and why, against the rule.
    pub fn advice(&self) -> String {
        let rule = format!("the rule D sqrt(N) says {}", self.rule());
        match (self.settled, self.rungs.as_slice()) {
            (Some(settled), rungs) => {
                let (taken, next) = (&rungs[settled], &rungs[settled + 1]);
                format!("Take dispersed:{}: with {} bands {}; {rule}.", taken.bands, next.bands, nothing_moves(next))
            }
            (None, [.., last]) if last.step.is_some() => {
                let moved = last.step.map_or(Vec::new(), |step| step.moved()).join(" and ");
                let take = match last.bands == self.most {
                    true => "full".to_owned(),
                    false => format!("dispersed:{} or more", last.bands),
                };
                format!("Take {take}: the {moved} still moved at the end, with {} bands; {rule}.", last.bands)
            }
            _ => format!("One number of bands says nothing: give more of them; {rule}."),
        }
    }
}

fn nothing_moves(next: &Rung) -> String {
    let Some(step) = next.step else { return String::new() };
    let error = match 100.0 * step.error {
        fall if fall >= 0.0 => format!("the held-out error falls by {fall:.1}% more"),
        fall => format!("the held-out error grows by {:.1}%", -fall),
    };
    let width = format!("distances are known better by {:.1}% of the noise", -100.0 * step.width);
    let rate = step.rate.map_or(String::new(), |rate| format!(", the rate moves by {:.2} of its sd", rate.abs()));
    format!("{error}, {width}{rate}")
}
