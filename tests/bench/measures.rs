//! What is measured: one entry per run, with the rows it fills and their budgets.

mod decision;
mod headless;
mod ledger;
mod search;
mod server;
mod sessions;
mod start;
mod walls;

use crate::contenders::Contender;
use crate::stage::Stage;

/// One kind of run. It gives a value for each of its rows, or nothing if the contender cannot do it.
pub struct Measure {
    pub name: &'static str,
    pub rows: &'static [RowSpec],
    pub runs: usize,
    pub run: fn(&Stage, &Contender) -> Outcome,
}

pub struct RowSpec {
    pub title: &'static str,
    pub unit: &'static str,
    pub budget: Option<f64>,
}

type Outcome = anyhow::Result<Option<Vec<f64>>>;

const fn row(title: &'static str, unit: &'static str, budget: f64) -> RowSpec {
    RowSpec { title, unit, budget: Some(budget) }
}

const fn plain(title: &'static str, unit: &'static str) -> RowSpec {
    RowSpec { title, unit, budget: None }
}

pub const ALL: &[Measure] = &[
    Measure {
        name: "version",
        rows: &[row("--version", "ms", 10.0)],
        runs: 41,
        run: start::version,
    },
    Measure {
        name: "binary",
        rows: &[row("size of the program", "MB", 40.0)],
        runs: 1,
        run: start::size,
    },
    Measure {
        name: "initialize",
        rows: &[row("spawn → initialize reply", "ms", 20.0)],
        runs: 21,
        run: start::initialize,
    },
    Measure {
        name: "idle",
        rows: &[
            row("idle memory after initialize", "MB", 25.0),
            row("idle CPU over 2 s", "%", 0.0),
            row("new session", "ms", 5.0),
            row("prompt → first model request", "ms", 10.0),
            row("idle memory after 20 turns", "MB", 30.0),
        ],
        runs: 5,
        run: start::idle,
    },
    Measure {
        name: "hello",
        rows: &[
            row("-p: spawn → first model request", "ms", 30.0),
            row("-p: hello, wall", "ms", 50.0),
        ],
        runs: 21,
        run: headless::hello,
    },
    Measure {
        name: "turns",
        rows: &[
            row("-p: 20 tool turns, wall", "ms", 120.0),
            row("-p: 20 tool turns, gap to the next request", "ms", 3.0),
            plain("-p: 20 tool turns, connections opened", ""),
        ],
        runs: 11,
        run: headless::short_turns,
    },
    Measure {
        name: "long",
        rows: &[
            row("-p: 200 tool turns, wall", "ms", 1_000.0),
            row("-p: 200 tool turns, gap of the first 20", "ms", 3.0),
            row("-p: 200 tool turns, gap of the last 20", "ms", 3.0),
            row("-p: 200 tool turns, gap last/first", "×", 1.3),
        ],
        runs: 5,
        run: headless::long_turns,
    },
    Measure {
        name: "parallel",
        rows: &[row("-p: 10 calls at once, wall", "ms", 70.0)],
        runs: 11,
        run: headless::parallel,
    },
    Measure {
        name: "stream",
        rows: &[
            row("-p: 5 MB in 100k deltas, CPU", "s", 0.5),
            plain("-p: 5 MB in 100k deltas, wall", "s"),
        ],
        runs: 5,
        run: headless::long_answer,
    },
    Measure {
        name: "memory",
        rows: &[
            row("-p: peak memory, hello", "MB", 20.0),
            row("-p: peak memory, 20 turns", "MB", 25.0),
            row("-p: peak memory, 200 turns", "MB", 30.0),
            row("-p: peak memory, 5 MB answer", "MB", 40.0),
        ],
        runs: 3,
        run: headless::memory,
    },
    Measure {
        name: "serve",
        rows: &[
            row("serve: 5 MB in 100k deltas, CPU", "s", 0.5),
            row("serve: 5 MB in 100k deltas, peak memory", "MB", 40.0),
        ],
        runs: 5,
        run: server::long_answer,
    },
    Measure {
        name: "change",
        rows: &[
            plain("didChange in 5 MB while a turn streams, p50", "ms"),
            row("didChange in 5 MB while a turn streams, p99", "ms", 1.0),
        ],
        runs: 3,
        run: server::typing,
    },
    Measure {
        name: "ledger",
        rows: &[
            plain("rebase + ledger of an edit, 5 MB with 1,000 hunks, p50", "ms"),
            row("rebase + ledger of an edit, 5 MB with 1,000 hunks, p99", "ms", 2.0),
        ],
        runs: 3,
        run: ledger::edits,
    },
    Measure {
        name: "decision",
        rows: &[
            row("decision about a command of five parts, p50", "µs", 200.0),
            plain("decision about a command of five parts, p99", "µs"),
        ],
        runs: 3,
        run: decision::command,
    },
    Measure {
        name: "walls",
        rows: &[
            row("start of a command behind walls, p50 (floor: without)", "ms", 15.0),
            plain("start of a command behind walls, p99 (floor: without)", "ms"),
        ],
        runs: 3,
        run: walls::first_word,
    },
    Measure {
        name: "documents",
        rows: &[row("memory of 10 open documents of 5 MB", "× size", 3.0)],
        runs: 3,
        run: ledger::memory,
    },
    Measure {
        name: "resume",
        rows: &[row("resume of a 100 MB journal (floor: read it)", "ms", 500.0)],
        runs: 7,
        run: sessions::resume,
    },
    Measure {
        name: "soak",
        rows: &[
            row("serve: 1,000 turns, memory at the end", "MB", 120.0),
            row("serve: 1,000 turns, memory last/200th", "×", 1.2),
            plain("serve: 1,000 turns, overhead of the 200th", "ms"),
            plain("serve: 1,000 turns, overhead of the last", "ms"),
            row("serve: 1,000 turns, overhead last/200th", "×", 1.2),
            row("serve: 1,000 turns, journal", "MB", 10.0),
        ],
        runs: 1,
        run: sessions::soak,
    },
    Measure {
        name: "grep",
        rows: &[
            plain("Grep in 50,000 files (floor: rg)", "ms"),
            row("Grep in 50,000 files, against rg", "×", 1.1),
        ],
        runs: 7,
        run: search::grep,
    },
];
