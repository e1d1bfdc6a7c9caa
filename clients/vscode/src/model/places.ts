// Where things are while the text around them changes, by the rule of the server: what is written at an
// edge stays outside. Whole lines stay whole lines.
import type { Position, Range } from "../wire.ts";

/** A piece of text that another one took the place of, in terms of the text before it. */
export interface Replacement {
  range: Range;
  text: string;
}

/** The changes that made one version of a document of the version before. */
export interface Step {
  /** The version that they made. */
  version: number;
  changes: readonly Replacement[];
}

/** More steps than a server that is a moment behind could have missed. */
const KEPT = 500;

/** How a document came to be what it is, as far as somebody may still speak of older versions. */
export class History {
  private readonly steps: Step[] = [];
  /** Of changes up to this version nothing is known. */
  private since: number;

  constructor(version: number) {
    this.since = version;
  }

  push(step: Step): void {
    this.steps.push(step);
    const oldest = this.steps.length > KEPT ? this.steps.shift() : undefined;
    if (oldest) this.since = oldest.version;
  }

  /** A range of an earlier version in the present text; without a version, of the text as it was opened. */
  present(range: Range, version: number | null): Range {
    const from = version ?? this.since;
    const missed = this.steps.filter((step) => step.version > from);
    return missed.reduce((moved, step) => shiftAll(moved, step.changes), range);
  }
}

/** Several changes, each in terms of the text after the one before it. */
export function shiftAll(range: Range, changes: readonly Replacement[]): Range {
  return changes.reduce(shift, range);
}

export function shift(range: Range, change: Replacement): Range {
  const start = move(range.start, change, true);
  const end = move(range.end, change, false);
  const first = range.start.character === 0 ? { line: start.line, character: 0 } : start;
  return { start: first, end: isBefore(end, first) ? first : end };
}

/** A position goes behind what is written exactly there, or stays in front of it. */
function move(position: Position, { range, text }: Replacement, behind: boolean): Position {
  const { start, end } = range;
  const isInsertion = !isBefore(start, end);
  const passes = isInsertion && behind ? !isBefore(position, end) : isBefore(start, position);
  if (!passes) return position;
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? "";
  const written = {
    line: start.line + lines.length - 1,
    character: lines.length === 1 ? start.character + last.length : last.length,
  };
  if (isBefore(position, end)) return behind ? written : start;
  if (position.line > end.line) {
    return { line: position.line + written.line - end.line, character: position.character };
  }
  return {
    line: written.line,
    character: written.character + position.character - end.character,
  };
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
