//! The bench: one command, one table. Rows are what we measure, columns are who is measured.
//!
//! It never judges: the budget stands beside the figure, and a busy machine is no failure. The model
//! is a loopback server in this process, so that its work is not counted as a contender's.

#![expect(
    clippy::disallowed_methods,
    reason = "a bench starts the programs it measures and makes the files they work on"
)]

mod contenders;
mod floor;
mod lsp;
mod measures;
mod process;
mod scenarios;
mod stage;
mod table;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use stage::{Sizes, Stage};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        // The floor is a contender too: a process of its own, started like the others.
        Some(floor::COMMAND) => floor::run(&arguments[1..]).map(|()| ExitCode::SUCCESS),
        _ => Options::parse(&arguments).and_then(|options| bench(&options)),
    };
    outcome.unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "bench: {error:#}");
        ExitCode::FAILURE
    })
}

#[derive(Default)]
struct Options {
    smoke: bool,
    json: bool,
    only: Option<String>,
    runs: Option<usize>,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{argument} needs a value."));
            match argument.as_str() {
                "--smoke" => options.smoke = true,
                "--json" => options.json = true,
                "--only" => options.only = Some(value()?.clone()),
                "--runs" => {
                    options.runs = Some(value()?.parse().context("--runs needs a number.")?);
                }
                other => {
                    bail!("unknown flag {other}; there are --smoke, --json, --only ROW, --runs N.")
                }
            }
        }
        Ok(options)
    }
}

fn bench(options: &Options) -> anyhow::Result<ExitCode> {
    let sizes = if options.smoke { Sizes::smoke() } else { Sizes::full() };
    let stage = Stage::new(sizes)?;
    let contenders = contenders::found(&stage)?;
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| name.contains(only));
    let mut table = table::Table::new(&contenders);
    for measure in measures::ALL.iter().filter(|measure| wanted(measure.name)) {
        let runs = match (options.smoke, options.runs) {
            (true, _) => 1,
            (false, Some(runs)) => runs,
            (false, None) => measure.runs,
        };
        table.measure(&stage, measure, &contenders, runs);
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        writeln!(out, "{:#}", table.json())?;
    } else {
        write!(out, "{table}")?;
    }
    if options.smoke {
        writeln!(out, "{} passed, {} failed", table.passed(), table.failed())?;
    }
    Ok(if table.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
