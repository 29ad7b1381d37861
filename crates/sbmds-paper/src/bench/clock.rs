//! The two clocks of a measurement: time this thread computed, and time that passed.

use std::time::{Duration, Instant};

/// How the time of a piece of work is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Processor time of the calling thread: other programs on the machine hardly disturb it. Elsewhere than on Linux
    /// and macOS it is wall time.
    Thread,
    /// Wall time: the only one that means something for work on many threads.
    Wall,
}

impl Clock {
    /// How long `work` takes.
    pub fn time(self, work: impl FnOnce()) -> Duration {
        match self {
            Self::Thread => {
                let start = thread_time();
                work();
                thread_time().saturating_sub(start)
            }
            Self::Wall => {
                let start = Instant::now();
                work();
                start.elapsed()
            }
        }
    }
}

/// Processor time of the calling thread so far.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Time since this was first asked for.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn thread_time() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
