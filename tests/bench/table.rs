//! The table: figures by row and contender, as text for people and as JSON for programs.

use std::fmt;
use std::io::Write as _;

use serde_json::{Map, Value, json};

use crate::contenders::{Contender, Role};
use crate::measures::{Measure, RowSpec};
use crate::stage::Stage;

pub struct Table {
    names: Vec<&'static str>,
    /// Which columns make the ratio.
    ours: Option<usize>,
    floor: Option<usize>,
    rows: Vec<Row>,
    passed: usize,
    problems: Vec<String>,
}

struct Row {
    spec: &'static RowSpec,
    runs: usize,
    /// The median of each contender; `None` where it cannot do the row.
    figures: Vec<Option<f64>>,
}

impl Table {
    pub fn new(contenders: &[Contender]) -> Self {
        let column = |role| contenders.iter().position(|contender| contender.role == role);
        Self {
            names: contenders.iter().map(|contender| contender.name).collect(),
            ours: column(Role::Bowline),
            floor: column(Role::Floor),
            rows: Vec::new(),
            passed: 0,
            problems: Vec::new(),
        }
    }

    /// Takes the contenders in turn, so that a busy moment of the machine hits all of them.
    pub fn measure(
        &mut self,
        stage: &Stage,
        measure: &'static Measure,
        contenders: &[Contender],
        runs: usize,
    ) {
        let _ = writeln!(std::io::stderr(), "measuring: {} ({runs} runs)", measure.name);
        let mut samples: Vec<Vec<Vec<f64>>> = vec![Vec::new(); contenders.len()];
        let mut broken = vec![false; contenders.len()];
        for _ in 0..runs {
            for (at, contender) in contenders.iter().enumerate() {
                if broken[at] {
                    continue;
                }
                match (measure.run)(stage, contender) {
                    Ok(Some(values)) => samples[at].push(values),
                    Ok(None) => broken[at] = true,
                    Err(error) => {
                        broken[at] = true;
                        let problem = format!("{}, {}: {error:#}", measure.name, contender.name);
                        self.problems.push(problem);
                    }
                }
            }
        }
        self.passed += samples.iter().filter(|runs| !runs.is_empty()).count();
        for (number, spec) in measure.rows.iter().enumerate() {
            let figure = |samples: &Vec<Vec<f64>>| {
                median(samples.iter().filter_map(|run| run.get(number).copied()).collect())
            };
            let figures = samples.iter().map(figure).collect();
            self.rows.push(Row { spec, runs, figures });
        }
    }

    pub fn passed(&self) -> usize {
        self.passed
    }

    pub fn failed(&self) -> usize {
        self.problems.len()
    }

    fn ratio(&self, row: &Row) -> Option<f64> {
        let figure = |column: Option<usize>| row.figures.get(column?).copied().flatten();
        let (ours, floor) = (figure(self.ours)?, figure(self.floor)?);
        (floor > 0.0).then(|| ours / floor)
    }

    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let figures: Map<String, Value> = self
                .names
                .iter()
                .zip(&row.figures)
                .map(|(name, figure)| ((*name).to_owned(), json!(figure)))
                .collect();
            json!({
                "row": row.spec.title,
                "unit": row.spec.unit,
                "budget": row.spec.budget,
                "runs": row.runs,
                "figures": figures,
                "ratio_to_floor": self.ratio(row),
            })
        });
        json!({"rows": rows.collect::<Vec<_>>(), "problems": self.problems})
    }
}

pub fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    Some(values[values.len() / 2])
}

/// The value that `share` of all are not above.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<48} {:>5} {:>5} {:>8}", "median of the runs", "unit", "runs", "budget")?;
        for name in &self.names {
            write!(out, " {name:>10}")?;
        }
        writeln!(out, " {:>8}", "× floor")?;
        for row in &self.rows {
            let RowSpec { title, unit, budget } = row.spec;
            write!(out, "{title:<48} {unit:>5} {:>5} {:>8}", row.runs, shown(*budget))?;
            for figure in &row.figures {
                write!(out, " {:>10}", shown(*figure))?;
            }
            writeln!(out, " {:>8}", shown(self.ratio(row)))?;
        }
        for problem in &self.problems {
            writeln!(out, "FAILED {problem}")?;
        }
        Ok(())
    }
}

/// Three digits that mean something.
fn shown(figure: Option<f64>) -> String {
    match figure {
        None => "-".to_owned(),
        Some(figure) if figure >= 100.0 => format!("{figure:.0}"),
        Some(figure) if figure >= 10.0 => format!("{figure:.1}"),
        Some(figure) => format!("{figure:.2}"),
    }
}
