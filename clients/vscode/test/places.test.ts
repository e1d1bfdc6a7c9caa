// Ranges move with the text: a range that is moved through a change is about the same text after it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { History, shift, shiftAll, type Replacement } from "../src/model/places.ts";
import type { Position, Range } from "../src/wire.ts";

const at = (line: number, character = 0): Position => ({ line, character });
const lines = (first: number, last: number): Range => ({ start: at(first), end: at(last) });
const change = (start: Position, end: Position, text: string): Replacement => ({
  range: { start, end },
  text,
});

test("what is written above moves lines down, what is written below does not", () => {
  const moved = (replacement: Replacement) => shift(lines(5, 7), replacement);
  assert.deepEqual(moved(change(at(0), at(0), "a\nb\n")), lines(7, 9));
  assert.deepEqual(moved(change(at(1, 3), at(4, 2), "x")), lines(2, 4));
  assert.deepEqual(moved(change(at(7), at(7), "below\n")), lines(5, 7));
  assert.deepEqual(moved(change(at(9), at(12), "")), lines(5, 7));
  assert.deepEqual(moved(change(at(2), at(2), "\r\n")), lines(6, 8));
});

test("at its edges a range stays whole lines, and what is written there stays outside", () => {
  const moved = (replacement: Replacement) => shift(lines(5, 7), replacement);
  assert.deepEqual(moved(change(at(5), at(5), "above\n")), lines(6, 8));
  assert.deepEqual(moved(change(at(5), at(5), "in front ")), lines(5, 7));
  assert.deepEqual(moved(change(at(4, 8), at(4, 8), "\n")), lines(6, 8));
  assert.deepEqual(moved(change(at(5, 2), at(6, 1), "one\ntwo\nthree")), lines(5, 8));
  assert.deepEqual(moved(change(at(4), at(8), "")), lines(4, 4));
});

test("an empty range stays where the lines were that are gone", () => {
  assert.deepEqual(shift(lines(5, 5), change(at(5), at(5), "above\n")), lines(6, 6));
  assert.deepEqual(shift(lines(5, 5), change(at(5, 2), at(5, 2), "x")), lines(5, 5));
});

test("a range of an older version is brought to the present one, and no further", () => {
  const history = new History(3);
  history.push({ version: 4, changes: [change(at(0), at(0), "a\n")] });
  history.push({
    version: 5,
    changes: [change(at(9), at(9), "below\n"), change(at(0), at(0), "b\nc\n")],
  });
  assert.deepEqual(history.present(lines(1, 2), 3), lines(4, 5));
  assert.deepEqual(history.present(lines(1, 2), 4), lines(3, 4));
  assert.deepEqual(history.present(lines(1, 2), 5), lines(1, 2));
  // Of a file that was not open then: its text was the one that was opened.
  assert.deepEqual(history.present(lines(1, 2), null), lines(4, 5));
});

test("any change anywhere: the same text is in the range after it", () => {
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: 8 }, (_, line) => `line ${line}`);
    // Whole lines that nobody touches.
    const first = 2 + random(4);
    const range = lines(first, first + 1);
    const above = random(2) === 0;
    const from = above ? random(first) : first + 1 + random(7 - first);
    const to = above ? from + random(first - from) : from;
    const written = Array.from({ length: random(4) }, () => "new\n").join("");
    const replacement = change(at(from), at(to), written);
    const now = [...text.slice(0, from), ...written.split("\n").slice(0, -1), ...text.slice(to)];
    const moved = shiftAll(range, [replacement]);
    assert.equal(moved.end.line - moved.start.line, 1);
    assert.equal(now[moved.start.line], text[first], JSON.stringify({ replacement, range, moved }));
  }
});
