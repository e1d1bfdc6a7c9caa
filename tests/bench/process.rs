//! Starting a contender, and what the kernel says about it.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// How one run went.
pub struct Run {
    pub started: Instant,
    pub wall: Duration,
    pub cpu: Duration,
    pub peak_megabytes: f64,
    pub output: String,
}

/// What to look at beside the clock. Looking at memory costs the process a little, so a run that is
/// timed does not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    Time,
    Memory,
}

/// A clock tick of `/proc/PID/stat`; every Linux we run on has a hundred a second.
const TICK: Duration = Duration::from_millis(10);

pub fn run(mut command: Command, watch: Watch) -> anyhow::Result<Run> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{command:?} does not start"))?;
    let watcher = (watch == Watch::Memory).then(|| watch_peak(child.id()));
    let mut output = String::new();
    if let Some(stdout) = child.stdout.as_mut() {
        stdout.read_to_string(&mut output)?;
    }
    // Between the end of its output and our wait the kernel still keeps the books of the process.
    let cpu = cpu_at_end(child.id());
    let status = child.wait()?;
    let wall = started.elapsed();
    let peak = watcher.and_then(|watcher| watcher.join().ok()).unwrap_or_default();
    if !status.success() {
        let mut problem = String::new();
        if let Some(stderr) = child.stderr.as_mut() {
            stderr.read_to_string(&mut problem)?;
        }
        bail!("{command:?} ended with {status}: {} {}", output.trim(), problem.trim());
    }
    Ok(Run { started, wall, cpu, peak_megabytes: peak, output })
}

/// Waits until the process is a zombie, which keeps its times but uses no more.
fn cpu_at_end(pid: u32) -> Duration {
    let mut last = Duration::ZERO;
    // A process that closed its output is all but gone; the bound is for one that is not.
    for _ in 0..2_000 {
        let Some((state, cpu)) = stat(pid) else { break };
        last = cpu;
        if state == 'Z' {
            break;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    last
}

fn stat(pid: u32) -> Option<(char, Duration)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold anything, so we count from its closing parenthesis.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut times = fields.skip(10);
    let mut ticks = || times.next()?.parse::<u32>().ok();
    Some((state, TICK * (ticks()? + ticks()?)))
}

/// The kernel keeps the peak, but forgets it when the process ends: we ask until then.
fn watch_peak(pid: u32) -> std::thread::JoinHandle<f64> {
    std::thread::spawn(move || {
        let mut peak = 0.0;
        while let Some(megabytes) = memory(pid, "VmHWM:") {
            peak = megabytes;
            std::thread::sleep(Duration::from_millis(1));
        }
        peak
    })
}

/// Megabytes from a line of `/proc/PID/status`; none for a process that has ended.
pub fn memory(pid: u32, field: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// What all threads of a living process have used so far, to the nanosecond.
pub fn cpu_so_far(pid: u32) -> anyhow::Result<Duration> {
    let mut total = 0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
        let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse().ok());
        total += nanoseconds.unwrap_or(0);
    }
    Ok(Duration::from_nanos(total))
}

/// A child that does not outlive the row.
pub struct Guard(pub Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
