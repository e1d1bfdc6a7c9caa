// The difference between two texts line by line, for showing a change in the chat. Myers' greedy
// algorithm with a limit: texts that differ too much are shown as one removal and one addition.

export interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  text: string;
  /** The line's number in the new text, or in the old one for a removed line, from one. */
  line: number;
}

const MOST_EDITS = 600;
const CONTEXT = 2;

/** The changed lines with a little around them; `gap` stands for what is left out. */
export function lineDiff(oldText: string | null, newText: string | null): DiffLine[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const lines: DiffLine[] = after.slice(0, start).map((text, at) => same(text, at + 1));
  const middle = edits(before.slice(start, before.length - end), after.slice(start, after.length - end));
  let oldLine = start;
  let newLine = start;
  for (const [kind, text] of middle) {
    if (kind !== "added") oldLine += 1;
    if (kind !== "removed") newLine += 1;
    lines.push({ kind, text, line: kind === "removed" ? oldLine : newLine });
  }
  const rest = after.slice(after.length - end);
  lines.push(...rest.map((text, at) => same(text, after.length - end + at + 1)));
  return withoutTheSame(lines);
}

/** How many lines came and went. */
export function countChanges(lines: DiffLine[]): { added: number; removed: number } {
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

function linesOf(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function same(text: string, line: number): DiffLine {
  return { kind: "same", text, line };
}

type Step = ["same" | "added" | "removed", string];

function edits(before: string[], after: string[]): Step[] {
  const trace = search(before, after);
  if (!trace) {
    const removed = before.map((text): Step => ["removed", text]);
    return [...removed, ...after.map((text): Step => ["added", text])];
  }
  return walkBack(before, after, trace);
}

/** For each number of edits, how far every diagonal got. */
function search(before: string[], after: string[]): Map<number, number>[] | undefined {
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let count = 0; count <= Math.min(before.length + after.length, MOST_EDITS); count += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = isDown(furthest, diagonal, count)
        ? at(furthest, diagonal + 1)
        : at(furthest, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) {
        x += 1;
      }
      furthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
  }
  return undefined;
}

function walkBack(before: string[], after: string[], trace: Map<number, number>[]): Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let count = trace.length - 1; count >= 0; count -= 1) {
    const furthest = trace[count] ?? new Map<number, number>();
    const diagonal = x - y;
    const from = isDown(furthest, diagonal, count) ? diagonal + 1 : diagonal - 1;
    const fromX = at(furthest, from);
    const fromY = fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      steps.push(["same", before[x] ?? ""]);
    }
    if (count === 0) break;
    steps.push(x === fromX ? ["added", after[fromY] ?? ""] : ["removed", before[fromX] ?? ""]);
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

function isDown(furthest: Map<number, number>, diagonal: number, count: number): boolean {
  return (
    diagonal === -count ||
    (diagonal !== count && at(furthest, diagonal - 1) < at(furthest, diagonal + 1))
  );
}

function at(furthest: Map<number, number>, diagonal: number): number {
  return furthest.get(diagonal) ?? 0;
}

function withoutTheSame(lines: DiffLine[]): DiffLine[] {
  const near = lines.map(() => false);
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let other = index - CONTEXT; other <= index + CONTEXT; other += 1) {
      if (other >= 0 && other < near.length) near[other] = true;
    }
  });
  const kept: DiffLine[] = [];
  lines.forEach((line, index) => {
    if (near[index]) kept.push(line);
    else if (near[index + 1] && kept.length > 0) kept.push({ kind: "gap", text: "", line: line.line });
  });
  return kept;
}
