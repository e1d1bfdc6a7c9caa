//! How the indentation of a quoted text becomes that of the file.
//!
//! The quoted lines that were found say what each depth is in the file. That has to be one answer
//! for each depth, and deeper must stay deeper; then a new line gets the answer for its own depth,
//! or one in proportion to its neighbours.

use super::fold::BLANKS;

/// How many columns a tab may stand for; the first that makes sense of all lines is taken.
const TAB_WIDTHS: [usize; 3] = [4, 8, 2];
/// How many lines are read to learn what one step of indentation is.
const LINES_READ: usize = 20_000;
/// So many blanks are no indentation, but something drawn with them, and stay as they are.
const DEEPEST: usize = 400;

/// The blanks a line starts with.
pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(BLANKS).len()]
}

/// What the indentation of quoted lines is in the file.
#[derive(Debug)]
pub(super) struct Mapping<'a> {
    /// Columns in the quote, columns in the file, and the blanks of the file; both rise.
    depths: Vec<(usize, usize, &'a str)>,
    tab: usize,
    /// The columns of one step in the quote and in the file, for when there is only one depth.
    steps: (usize, usize),
    uses_tabs: bool,
}

impl<'a> Mapping<'a> {
    /// The mapping in which each of `pairs`, blanks of the quote and of the file, is right; nothing
    /// when there is none. What one step is in both is asked only when the pairs do not say.
    pub(super) fn new(
        pairs: &[(&str, &'a str)],
        steps: impl FnOnce() -> (Option<Step>, Option<Step>),
    ) -> Option<Mapping<'a>> {
        let (tab, depths) =
            TAB_WIDTHS.into_iter().find_map(|tab| Some((tab, depths(pairs, tab)?)))?;
        let uses_tabs = depths.iter().any(|(_, _, blanks)| blanks.contains('\t'));
        let mut mapping = Mapping { depths, tab, steps: (1, 1), uses_tabs };
        if mapping.depths.len() == 1 {
            let (quote, file) = steps();
            mapping.uses_tabs |= mapping.depths[0].1 == 0 && file == Some(Step::Tab);
            let (quote, file) = (quote.or(file), file.or(quote));
            let columns = |step: Option<Step>| step.map_or(1, |step| step.columns(tab));
            mapping.steps = (columns(quote), columns(file));
        }
        Some(mapping)
    }

    /// The file's indentation for a line that the quote would indent like this.
    pub(super) fn apply(&self, blanks: &str) -> String {
        if blanks.len() > DEEPEST {
            return blanks.to_owned();
        }
        let columns = columns(blanks, self.tab);
        let next = self.depths.partition_point(|(quote, ..)| *quote < columns);
        match (next.checked_sub(1).map(|at| self.depths[at]), self.depths.get(next)) {
            (_, Some((quote, _, file))) if *quote == columns => (*file).to_owned(),
            (Some((quote, _, file)), _) => self.deeper(file, self.in_file(columns - quote, next)),
            (None, Some((quote, file_columns, file))) => {
                let less = self.in_file(quote - columns, next);
                self.shallower(file, file_columns.saturating_sub(less))
            }
            (None, None) => blanks.to_owned(),
        }
    }

    /// What some columns between two depths of the quote are in the file; `next` is the depth above.
    fn in_file(&self, columns: usize, next: usize) -> usize {
        let above = next.clamp(1, self.depths.len().saturating_sub(1).max(1));
        let (quote, file) = match (self.depths.get(above - 1), self.depths.get(above)) {
            (Some(low), Some(high)) => (high.0 - low.0, high.1 - low.1),
            _ => self.steps,
        };
        columns * file / quote.max(1)
    }

    fn deeper(&self, blanks: &str, columns: usize) -> String {
        let (tabs, spaces) =
            if self.uses_tabs { (columns / self.tab, columns % self.tab) } else { (0, columns) };
        format!("{blanks}{}{}", "\t".repeat(tabs), " ".repeat(spaces))
    }

    fn shallower(&self, blanks: &str, target: usize) -> String {
        let mut missing = target;
        let fits = |blank: &u8| {
            let left = missing.checked_sub(width(*blank, self.tab));
            missing = left.unwrap_or(missing);
            left.is_some()
        };
        let kept = blanks.as_bytes().iter().copied().take_while(fits).count();
        format!("{}{}", &blanks[..kept], " ".repeat(missing))
    }
}

/// The depths of the pairs in order, if the same depth is always the same and deeper is deeper.
fn depths<'a>(pairs: &[(&str, &'a str)], tab: usize) -> Option<Vec<(usize, usize, &'a str)>> {
    let depth = |(quote, file): &(&str, &'a str)| (columns(quote, tab), columns(file, tab), *file);
    let mut depths: Vec<_> = pairs.iter().map(depth).collect();
    depths.sort_by_key(|(quote, file, _)| (*quote, *file));
    depths.dedup_by_key(|(quote, file, _)| (*quote, *file));
    let rising = depths.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
    rising.then_some(depths)
}

fn columns(blanks: &str, tab: usize) -> usize {
    blanks.bytes().map(|blank| width(blank, tab)).sum()
}

fn width(blank: u8, tab: usize) -> usize {
    if blank == b'\t' { tab } else { 1 }
}

/// One step of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Tab,
    Spaces(usize),
}

impl Step {
    /// The step by which lines are most often deeper than the line before.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Step> {
        let mut seen = [0usize; 9];
        let mut before = "";
        let lines = lines.map(|line| line.trim_end_matches(['\r', '\n']));
        for line in lines.take(LINES_READ).filter(|line| !line.trim_matches(BLANKS).is_empty()) {
            let blanks = indentation(line);
            match blanks.strip_prefix(before) {
                Some("\t") => seen[0] += 1,
                Some(more) if !more.contains('\t') && (2..9).contains(&more.len()) => {
                    seen[more.len()] += 1;
                }
                _ => {}
            }
            before = blanks;
        }
        // Of equals the smaller step.
        let (step, count) = seen.iter().enumerate().rev().max_by_key(|(_, count)| **count)?;
        match (step, count) {
            (_, 0) => None,
            (0, _) => Some(Step::Tab),
            (spaces, _) => Some(Step::Spaces(spaces)),
        }
    }

    fn columns(self, tab: usize) -> usize {
        match self {
            Step::Tab => tab,
            Step::Spaces(count) => count,
        }
    }
}

#[cfg(test)]
mod tests;
