//! Learning step sizes and masses during warm-up; afterwards everything is frozen.

/// A step size that learns to meet an acceptance rate.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StepSize {
    current: f64,
    target: f64,
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Rule {
    DualAveraging(DualAveraging),
    Paper(PaperRule),
    Frozen,
}

/// Nesterov's dual averaging (Hoffman & Gelman 2014, eq. 6), with their constants.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct DualAveraging {
    /// What log steps shrink towards.
    log_centre: f64,
    mean_error: f64,
    mean_log: f64,
    count: f64,
}

/// The paper's rule: after every window, a factor 1 +- min(0.01, 1 / sqrt(s - 1)).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct PaperRule {
    iteration: usize,
    accepted: usize,
}

/// Iterations after which the paper's code looks at its acceptance ratio.
const PAPER_WINDOW: usize = 50;

impl StepSize {
    /// Starts at `start` and adapts to the acceptance rate `target` by dual averaging.
    pub fn dual_averaging(start: f64, target: f64) -> Self {
        Self { current: start, target, rule: Rule::DualAveraging(DualAveraging::around(start)) }
    }

    /// Starts at `start` and follows the paper's rule.
    pub fn paper(start: f64, target: f64) -> Self {
        Self { current: start, target, rule: Rule::Paper(PaperRule { iteration: 1, accepted: 0 }) }
    }

    /// The step to take now.
    pub fn get(&self) -> f64 {
        self.current
    }

    /// Learns from one transition that was accepted with this probability (and whether it was).
    pub fn learn(&mut self, acceptance: f64, accepted: bool) {
        match &mut self.rule {
            Rule::DualAveraging(averaging) => self.current = averaging.next(self.target - acceptance),
            Rule::Paper(rule) => self.current *= rule.factor(self.target, accepted),
            Rule::Frozen => {}
        }
    }

    /// Starts learning afresh from another step: the density looks different now.
    pub fn restart_at(&mut self, step: f64) {
        if let Rule::DualAveraging(averaging) = &mut self.rule {
            *averaging = DualAveraging::around(step);
            self.current = step;
        }
    }

    /// Ends the learning: from now on the step stays as it is.
    pub fn freeze(&mut self) {
        if let Rule::DualAveraging(averaging) = &self.rule {
            self.current = averaging.learned_log().exp();
        }
        self.rule = Rule::Frozen;
    }
}

impl DualAveraging {
    /// Hoffman & Gelman's gamma, t0 and kappa.
    const SHRINKAGE: f64 = 0.05;
    const STABILISATION: f64 = 10.0;
    const DECAY: f64 = 0.75;
    /// What steps shrink towards is this many times the present step: large steps are cheap, so err on that side.
    const BOLDNESS: f64 = 10.0;
    /// Transitions that outweigh the boldness of the first ones.
    const ENOUGH: f64 = 10.0;

    fn around(step: f64) -> Self {
        Self { log_centre: (Self::BOLDNESS * step).ln(), mean_error: 0.0, mean_log: step.ln(), count: 0.0 }
    }

    /// The step to keep, as a logarithm: after few transitions none longer than the first.
    fn learned_log(&self) -> f64 {
        if self.count < Self::ENOUGH { self.mean_log.min(self.log_centre - Self::BOLDNESS.ln()) } else { self.mean_log }
    }

    fn next(&mut self, error: f64) -> f64 {
        self.count += 1.0;
        let weight = 1.0 / (self.count + Self::STABILISATION);
        self.mean_error += weight * (error - self.mean_error);
        let log_step = self.log_centre - self.count.sqrt() / Self::SHRINKAGE * self.mean_error;
        let weight = self.count.powf(-Self::DECAY);
        self.mean_log += weight * (log_step - self.mean_log);
        log_step.exp()
    }
}

impl PaperRule {
    fn factor(&mut self, target: f64, accepted: bool) -> f64 {
        self.iteration += 1;
        self.accepted += usize::from(accepted);
        if !self.iteration.is_multiple_of(PAPER_WINDOW) {
            return 1.0;
        }
        let ratio = self.accepted as f64 / PAPER_WINDOW as f64;
        self.accepted = 0;
        let change = 0.01_f64.min(1.0 / ((self.iteration - 1) as f64).sqrt());
        if ratio > target { 1.0 + change } else { 1.0 - change }
    }
}

/// Stan's warm-up schedule: a fast start, slow windows of doubling length in which variances are learned, a fast end.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Windows {
    slow_start: usize,
    slow_end: usize,
    window_end: usize,
    window_length: usize,
}

impl Windows {
    /// For this many warm-up iterations.
    pub fn new(n_warmup: usize) -> Self {
        // Stan's 75 / 25 / 50, or 15% / 75% / 10% of a short warm-up.
        let (start, first, end) = if n_warmup < 150 {
            let start = (0.15 * n_warmup as f64) as usize;
            let end = (0.1 * n_warmup as f64) as usize;
            (start, n_warmup - start - end, end)
        } else {
            (75, 25, 50)
        };
        let slow_end = n_warmup - end;
        let mut windows = Self { slow_start: start, slow_end, window_end: start + first, window_length: first };
        windows.stretch_last();
        windows
    }

    /// Whether variances are learned at this iteration.
    pub fn learns_mass(&self, iteration: usize) -> bool {
        (self.slow_start..self.slow_end).contains(&iteration)
    }

    /// Whether a window ends after this iteration; the next one is then twice as long.
    pub fn ends_after(&mut self, iteration: usize) -> bool {
        if iteration + 1 != self.window_end || self.window_end > self.slow_end {
            return false;
        }
        self.window_length *= 2;
        self.window_end += self.window_length;
        self.stretch_last();
        true
    }

    /// Whether the last window has begun.
    pub fn is_at_last(&self) -> bool {
        self.window_end >= self.slow_end
    }

    /// Whether variances learned at this iteration are the last ones.
    pub fn is_last(&self, iteration: usize) -> bool {
        self.learns_mass(iteration) && self.is_at_last()
    }

    /// A window too short to be followed by one twice as long reaches to the end.
    fn stretch_last(&mut self) {
        if self.window_end + 2 * self.window_length > self.slow_end && self.window_end <= self.slow_end {
            self.window_end = self.slow_end;
        }
    }
}

/// Running variances of many parameters (Welford), each pooled over the stretches between its mode jumps.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunningVariance(Vec<Stretch>);

/// What is known of one parameter.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Stretch {
    /// Draws since its last mode jump, and their mean.
    count: f64,
    mean: f64,
    /// Squared deviations from the means of all stretches, and how many of them are free.
    squares: f64,
    freedom: f64,
}

impl RunningVariance {
    /// Of `n` parameters.
    pub fn new(n: usize) -> Self {
        Self(vec![Stretch::default(); n])
    }

    /// Adds one draw.
    pub fn add(&mut self, values: &[f64]) {
        for (known, value) in self.0.iter_mut().zip(values) {
            known.freedom += known.count.min(1.0);
            known.count += 1.0;
            let before = value - known.mean;
            known.mean += before / known.count;
            known.squares += before * (value - known.mean);
        }
    }

    /// One parameter is from now on somewhere else.
    pub fn leave(&mut self, parameter: usize) {
        let known = &mut self.0[parameter];
        (known.count, known.mean) = (0.0, 0.0);
    }

    /// Variances, shrunk towards `guess` while there are few draws; forgets all draws. Stan shrinks by as much, but towards 1e-3
    /// whatever the unit; log sigma of a million pairs has a variance of 5e-7, and would force all steps to be short.
    pub fn take(&mut self, guess: &[f64]) -> Vec<f64> {
        let shrunk = |(known, guess): (&Stretch, &f64)| (known.squares + 5.0 * guess) / (known.freedom + 5.0);
        let variances = self.0.iter().zip(guess).map(shrunk).collect();
        self.0.fill(Stretch::default());
        variances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the paper's Section "Bayesian computation", by hand.
    #[test]
    fn the_papers_rule_changes_by_a_hundredth_and_less_later() {
        let mut step = StepSize::paper(1.0, 0.65);
        for _ in 0..48 {
            step.learn(1.0, true);
            assert_eq!(step.get(), 1.0);
        }
        step.learn(1.0, true);
        assert_eq!(step.get(), 1.01);
        for _ in 0..50 {
            step.learn(0.0, false);
        }
        assert_eq!(step.get(), 1.01 * 0.99);
        for _ in 0..(40_000 - 100) {
            step.learn(0.0, false);
        }
        let before = step.get();
        for _ in 0..50 {
            step.learn(0.0, false);
        }
        // 1 / sqrt(40,050 - 1) < 0.01 by now.
        assert!((step.get() / before - (1.0 - 1.0 / 40_049_f64.sqrt())).abs() < 1e-15);
        step.freeze();
        let frozen = step.get();
        step.learn(1.0, true);
        assert_eq!(step.get(), frozen);
    }

    #[test]
    fn dual_averaging_meets_its_target() {
        // Acceptance falls from 1 to 0 as the step grows: exp(-step); 0.65 is met at 0.4308.
        let mut step = StepSize::dual_averaging(0.01, 0.65);
        for _ in 0..2_000 {
            step.learn((-step.get()).exp(), true);
        }
        step.freeze();
        assert!((step.get() - 0.4308).abs() < 0.01, "{}", step.get());
    }

    /// Dual averaging first tries about ten times the step it starts from. Frozen then, such a step may never be accepted.
    #[test]
    fn few_transitions_do_not_leave_a_bold_step() {
        let after = |n_transitions: usize, acceptance: f64| {
            let mut step = StepSize::dual_averaging(0.1, 0.8);
            (0..n_transitions).for_each(|_| step.learn(acceptance, true));
            let bold = step.get();
            step.freeze();
            (bold, step.get())
        };
        let (bold, frozen) = after(2, 0.8);
        assert!(bold > 0.9 && (frozen - 0.1).abs() < 1e-12, "{bold} {frozen}");
        assert!(after(2, 0.0).1 < 0.1, "a shorter step is kept");
        assert!(after(20, 0.9).1 > 1.0, "many transitions are believed");
    }

    #[test]
    fn windows_are_stans() {
        let mut windows = Windows::new(1_000);
        let ends: Vec<usize> = (0..1_000).filter(|&i| windows.ends_after(i)).map(|i| i + 1).collect();
        // Stan's reference manual: 75, then windows of 25, 50, 100, 200 and the rest, then 50.
        assert_eq!(ends, [100, 150, 250, 450, 950]);
        let mut windows = Windows::new(1_000);
        let mut is_last = |iteration: usize| {
            let is_last = windows.is_last(iteration);
            windows.ends_after(iteration);
            is_last
        };
        let last: Vec<usize> = (0..1_000).filter(|&iteration| is_last(iteration)).collect();
        assert_eq!(last, (450..950).collect::<Vec<_>>());
        assert!(!windows.learns_mass(74) && windows.learns_mass(75) && !windows.learns_mass(950));
    }

    /// An object that jumps back and forth in every draw has no variance to learn; one that jumps now and then, that within modes.
    #[test]
    fn jumps_are_no_variance() {
        let mut running = RunningVariance::new(2);
        for draw in 0..1_000 {
            let side = if draw % 2 == 0 { 100.0 } else { -100.0 };
            let long_side = if draw / 100 % 2 == 0 { 100.0 } else { -100.0 };
            let within = [1.0, -1.0, 1.0, -1.0][draw % 4];
            running.leave(0);
            if draw % 100 == 0 {
                running.leave(1);
            }
            running.add(&[side + within, long_side + within]);
        }
        let [always, seldom] = running.take(&[0.3, 0.3])[..] else { panic!("two variances") };
        assert!((always - 0.3).abs() < 1e-12, "{always}");
        assert!((seldom - 1.0).abs() < 0.02, "{seldom}");
    }

    #[test]
    fn running_variance_is_the_variance() {
        let mut running = RunningVariance::new(1);
        for value in [1.0, 2.0, 4.0, 8.0] {
            running.add(&[value]);
        }
        let variance = 28.75 / 3.0;
        assert!((running.take(&[0.2])[0] - (3.0 / 8.0 * variance + 0.2 * 5.0 / 8.0)).abs() < 1e-12);
    }
}
