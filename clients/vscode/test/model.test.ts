// Small pure parts: differences of texts, formats, patterns, proposals, and the way to the program.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { serverArguments } from "../src/arguments.ts";
import { findBinary } from "../src/binary.ts";
import { isExcluded } from "../src/model/exclude.ts";
import { ago, duration, fileName, fullness, money, oneLine, tokens } from "../src/model/format.ts";
import { countChanges, lineDiff } from "../src/model/lineDiff.ts";
import { points } from "../src/model/points.ts";
import { emptyState, type Item } from "../src/model/state.ts";
import { isCompletable } from "../webview/completable.ts";
import { withoutEscapes } from "../webview/items/parts.ts";

function drawn(before: string | null, after: string | null): string {
  const sign = { added: "+", removed: "-", same: " ", gap: "~" };
  return lineDiff(before, after)
    .map(({ kind, text }) => sign[kind] + text)
    .join("|");
}

test("a difference has the changed lines and a little around them", () => {
  assert.equal(drawn("a\nb\nc\n", "a\nx\nc\n"), " a|-b|+x| c");
  assert.equal(drawn(null, "a\nb\n"), "+a|+b");
  assert.equal(drawn("a\n", null), "-a");
  assert.equal(drawn("same\n", "same\n"), "");
  const long = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const changed = long.with(2, "two").with(15, "fifteen");
  const shown = drawn(long.join("\n"), changed.join("\n"));
  assert.equal(shown.includes("~"), true);
  assert.equal(shown.includes("line 8"), false);
});

test("a difference is true: its lines make both texts", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const make = () => Array.from({ length: random(6) }, () => "abc"[random(3)] ?? "a");
    const before = make();
    const after = make();
    const lines = lineDiff(before.join("\n"), after.join("\n"));
    if (lines.some(({ kind }) => kind === "gap") || lines.length === 0) continue;
    const { added, removed } = countChanges(lines);
    assert.equal(before.length - removed, after.length - added, JSON.stringify([before, after]));
    const news = lines.filter(({ kind }) => kind !== "removed");
    for (const { text, line } of news)
      assert.equal(after[line - 1], text, JSON.stringify([before, after]));
    const olds = lines.filter(({ kind }) => kind === "removed");
    for (const { text, line } of olds)
      assert.equal(before[line - 1], text, JSON.stringify([before, after]));
  }
});

test("texts that differ too much are one removal and one addition", () => {
  const before = Array.from({ length: 900 }, (_, at) => `a${at}`).join("\n");
  const after = Array.from({ length: 900 }, (_, at) => `b${at}`).join("\n");
  assert.deepEqual(countChanges(lineDiff(before, after)), { added: 900, removed: 900 });
});

test("numbers and names for people", () => {
  assert.deepEqual(
    [tokens(999), tokens(1234), tokens(123_456), tokens(1_200_000)],
    ["999", "1.2k", "123k", "1.2M"],
  );
  assert.deepEqual([money(0), money(0.001), money(1.5)], ["$0", "<$0.01", "$1.50"]);
  assert.deepEqual(
    [duration(12), duration(1500), duration(61_000)],
    ["12 ms", "1.5 s", "1 min 1 s"],
  );
  assert.deepEqual([fullness(50, 200), fullness(5, 0), fullness(9, 3)], [25, 0, 100]);
  assert.equal(fileName("file:///a/b%20c.ts"), "b c.ts");
  assert.equal(fileName("file:///a/%zz"), "%zz");
  assert.equal(oneLine("a\n  b", 10), "a b");
  assert.equal(oneLine("abcdef", 4), "abc…");
  assert.deepEqual(
    [ago(0, 5_000), ago(0, 120_000), ago(0, 7_200_000)],
    ["now", "2 min ago", "2 h ago"],
  );
});

test("a pattern covers a file, and everything in a folder", () => {
  const patterns = ["**/.env", "secret", "**/*.pem"];
  const check = (file: string) => isExcluded("/w", path.join("/w", file), patterns);
  assert.deepEqual(["a/.env", "secret/a/b.ts", "k.pem"].map(check), [true, true, true]);
  assert.deepEqual(["a/env", "secrets/a.ts", "k.pem.txt"].map(check), [false, false, false]);
});

test("what can be completed", () => {
  const yes = ["/", "/mo", "@", "look at @src/ma", '@"my fi', "#no"];
  const no = ["", "a / b", "mail@host", "@a b", "text /x"];
  assert.deepEqual(
    yes.map(isCompletable),
    yes.map(() => true),
  );
  assert.deepEqual(
    no.map(isCompletable),
    no.map(() => false),
  );
});

test("colours of terminals are left out", () => {
  assert.equal(withoutEscapes("\u001b[31mred\u001b[0m \u001b]0;title\u0007x\ry\r\n"), "red xy\r\n");
});

test("the program: the setting, the extension's own, the PATH; never a guess", async () => {
  const base = await mkdtemp(path.join(tmpdir(), "bowline-binary-"));
  const place = async (name: string, mode: number) => {
    const file = path.join(base, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "");
    await chmod(file, mode);
    return file;
  };
  try {
    const places = {
      configured: "",
      extensionFolder: path.join(base, "ext"),
      searchPath: `.:${base}/path`,
    };
    assert.ok("problem" in (await findBinary(places)));
    const onPath = await place("path/bowline", 0o755);
    assert.deepEqual(await findBinary(places), { path: onPath });
    const bundled = await place("ext/bin/bowline", 0o755);
    assert.deepEqual(await findBinary(places), { path: bundled });
    const own = await place("own/server", 0o755);
    assert.deepEqual(await findBinary({ ...places, configured: own }), { path: own });
    const inFolder = {
      ...places,
      configured: "${workspaceFolder}/own/server",
      workspaceFolder: base,
    };
    assert.deepEqual(await findBinary(inFolder), { path: own });
    const wrong = await findBinary({ ...places, configured: await place("own/text", 0o644) });
    assert.ok("problem" in wrong && wrong.problem.includes("bowline.server.path"));
    assert.ok("problem" in (await findBinary({ ...places, configured: base })));
  } finally {
    await rm(base, { recursive: true });
  }
});

test("what is kept back and shared goes to the server as settings of its own", async () => {
  const wishes = { exclude: ["*.key"], followEditor: false };
  const told = (all: string[]): unknown => JSON.parse(all[all.indexOf("--settings") + 1] ?? "");
  const plain = await serverArguments(["--debug"], wishes);
  assert.deepEqual(plain.slice(0, 2), ["serve", "--debug"]);
  assert.deepEqual(told(plain), { permissions: { deny: ["Read(*.key)", "Edit(*.key)"] } });
  assert.deepEqual(await serverArguments([], { exclude: [], followEditor: false }), ["serve"]);
  const shared = await serverArguments([], { exclude: [], followEditor: true });
  assert.deepEqual(told(shared), { shareEditorFocus: true });
  // The user's own settings stay, in whichever way they are given.
  const own = '{"model":"x","permissions":{"deny":["Bash(rm *)"],"allow":["Read"]}}';
  const wanted = {
    model: "x",
    permissions: { deny: ["Bash(rm *)", "Read(*.key)", "Edit(*.key)"], allow: ["Read"] },
  };
  const folder = await mkdtemp(path.join(tmpdir(), "bowline-arguments-"));
  const file = path.join(folder, "own.json");
  await writeFile(file, own);
  for (const given of [["--settings", own], [`--settings=${own}`], ["--settings", file]]) {
    const all = await serverArguments([...given, "--no-join"], wishes);
    assert.deepEqual(told(all), wanted);
    assert.deepEqual(all.slice(0, 2), ["serve", "--no-join"]);
    assert.equal(all.length, 4);
  }
  // What cannot be joined is said: nothing is started without what was kept back.
  await assert.rejects(serverArguments(["--settings", "{oops"], wishes), /cannot be read as JSON/);
  await assert.rejects(serverArguments(["--settings", `${file}.not`], wishes), /cannot be read/);
  await rm(folder, { recursive: true });
});

test("every prompt is a point to go back to, with the changes that followed it", () => {
  const state = emptyState({
    sessionId: "s",
    seq: 0,
    config: { mode: "default", model: "m" },
    commands: [],
    agents: [],
  });
  const said = (id: string, text: string, role = "user"): Item => ({
    kind: "message",
    id,
    role,
    text,
    streaming: false,
    attachments: [],
    checkpoint: role === "user",
  });
  const edited = (status: string): Item => ({
    kind: "tool",
    id: status,
    name: "Edit",
    title: "Edit",
    toolKind: "edit",
    status,
    output: "",
    content: [],
    diff: { uri: "file:///a", version: null, oldText: "a", newText: "b" },
  });
  state.items = [
    said("1", "first\nprompt"),
    edited("completed"),
    edited("denied"),
    said("2", "answer", "assistant"),
    said("3", ""),
  ];
  assert.deepEqual(
    points(state).map(({ id, label, changes }) => [id, label, changes]),
    [
      ["1", "first prompt", 1],
      ["3", "(no words)", 0],
    ],
  );
});
