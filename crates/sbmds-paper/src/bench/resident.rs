//! How much memory of its own the process holds, and its peak.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes of anonymous memory in use (mapped files do not count), from `/proc/self/status`; None elsewhere than on Linux.
pub fn anonymous_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

/// Looks every so often; the kernel keeps no peak of anonymous memory alone.
const PAUSE: Duration = Duration::from_millis(2);

/// A thread that watches the peak until dropped.
pub struct Watch {
    peak: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub fn start() -> Self {
        let (peak, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (seen, stopped) = (Arc::clone(&peak), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                seen.fetch_max(anonymous_bytes().unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(PAUSE);
            }
        });
        Self { peak, stop, thread: Some(thread) }
    }

    /// The highest seen so far, and now.
    pub fn peak(&self) -> u64 {
        let now = anonymous_bytes().unwrap_or(0);
        self.peak.fetch_max(now, Ordering::Relaxed).max(now)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It only reads; should it ever fail, there is nothing to undo.
            let _ = thread.join();
        }
    }
}
