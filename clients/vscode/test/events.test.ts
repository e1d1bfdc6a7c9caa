// The session's state under events: what streams, what is retracted, what a rewind leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEvent } from "../src/model/events.ts";
import { fromAttach } from "../src/model/snapshot.ts";
import { emptyState, type SessionState } from "../src/model/state.ts";
import type { Event, EventBody, Hunk } from "../src/wire.ts";
import { touched } from "../webview/touched.ts";

function session(): SessionState {
  const config = { mode: "default", model: "rehearsal" };
  return emptyState({ sessionId: "s", seq: 0, config, commands: [], agents: [] });
}

function feed(state: SessionState, ...bodies: EventBody[]): SessionState {
  for (const body of bodies) {
    applyEvent(state, { sessionId: "s", seq: state.seq + 1, at: 0, ...body } as Event);
  }
  return state;
}

const USER = { type: "message.started", messageId: "u1", role: "user", text: "hi" } as const;

function hunk(id: string, state: string): Hunk {
  const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
  return {
    id,
    state,
    range,
    author: "agent",
    sessionId: "s",
    turnId: "t",
    toolCallId: "c",
    uri: "file:///a",
    version: 1,
    oldText: "a\n",
    newText: "b\n",
  };
}

test("an answer streams into one message and stops streaming with its end", () => {
  const state = feed(
    session(),
    { type: "turn.started", turnId: "t", messageId: "u1" },
    USER,
    { type: "message.started", messageId: "m1", role: "assistant" },
    { type: "message.delta", messageId: "m1", role: "assistant", text: "Good " },
    { type: "message.delta", messageId: "m1", role: "assistant", text: "day" },
  );
  assert.equal(state.status, "running");
  assert.deepEqual(
    state.items.map((item) => item.kind === "message" && [item.text, item.streaming]),
    [
      ["hi", false],
      ["Good day", true],
    ],
  );
  feed(state, { type: "message.ended", messageId: "m1", role: "assistant", text: "Good day!" });
  assert.equal(state.items[1]?.kind === "message" && state.items[1].text, "Good day!");
  assert.equal(state.items[1]?.kind === "message" && state.items[1].streaming, false);
});

test("a delta without a beginning begins the message", () => {
  const state = feed(session(), {
    type: "message.delta",
    messageId: "m",
    role: "assistant",
    text: "x",
  });
  assert.equal(state.items.length, 1);
});

test("what was retracted never was, thoughts included", () => {
  const state = feed(
    session(),
    USER,
    { type: "thought.started", messageId: "m1" },
    { type: "thought.delta", messageId: "m1", text: "hm" },
    { type: "message.started", messageId: "m1", role: "assistant" },
    { type: "message.retracted", messageId: "m1" },
  );
  assert.deepEqual(
    state.items.map(({ kind }) => kind),
    ["message"],
  );
});

test("a call shows its output as it comes, then its result", () => {
  const state = feed(
    session(),
    { type: "tool.started", toolCallId: "c", name: "Bash", title: "Bash ls", kind: "execute" },
    { type: "tool.updated", toolCallId: "c", status: "running", progress: { output: "one\n" } },
    { type: "tool.updated", toolCallId: "c", status: "running", progress: { output: "two\n" } },
  );
  const [item] = state.items;
  assert.ok(item?.kind === "tool");
  assert.equal(item.output, "one\ntwo\n");
  feed(state, {
    type: "tool.ended",
    toolCallId: "c",
    status: "completed",
    durationMs: 5,
    content: [{ type: "output", text: "one\ntwo\n", exitCode: 0 }],
  });
  assert.equal(item.output, "");
  assert.equal(item.status, "completed");
});

test("a rewind drops the message and what follows, unless only files went back", () => {
  const build = () =>
    feed(session(), USER, { type: "message.started", messageId: "u2", role: "user", text: "more" });
  const files = feed(build(), {
    type: "session.rewound",
    toMessage: "u2",
    what: "files",
    undoToken: "t",
  });
  assert.equal(files.items.length, 2);
  const both = feed(build(), {
    type: "session.rewound",
    toMessage: "u2",
    what: "both",
    undoToken: "t",
  });
  assert.deepEqual(
    both.items.map(({ id }) => id),
    ["u1"],
  );
  assert.equal(both.undoToken, "t");
});

test("only hunks that wait are kept, each once and as it is now", () => {
  const state = feed(
    session(),
    { type: "hunk.added", hunk: hunk("h1", "pending") },
    { type: "hunk.added", hunk: hunk("h2", "pending") },
    { type: "hunk.updated", hunk: { ...hunk("h1", "pending"), newText: "c\n" } },
    { type: "hunk.resolved", hunk: hunk("h2", "rejected") },
  );
  assert.deepEqual(
    state.hunks.map(({ id, newText }) => [id, newText]),
    [["h1", "c\n"]],
  );
});

test("the end of a turn says what went wrong, and nothing when all went well", () => {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const end = { type: "turn.ended", turnId: "t", usage, costUsd: 0, durationMs: 1 } as const;
  assert.equal(feed(session(), { ...end, stopReason: "end_turn" }).items.length, 0);
  const stopped = feed(session(), { ...end, stopReason: "cancelled" });
  assert.equal(stopped.items[0]?.kind === "note" && stopped.items[0].text, "Stopped.");
  const error = { kind: "network", message: "No way." };
  const failed = feed(session(), { ...end, stopReason: "model_error", error });
  assert.equal(failed.items[0]?.kind === "note" && failed.items[0].severity, "error");
});

test("an event of a later version only counts", () => {
  const state = feed(session(), { type: "something.new" } as unknown as EventBody);
  assert.equal(state.seq, 1);
  assert.equal(state.items.length, 0);
});

test("only the item that an event changed is drawn again", () => {
  const state = feed(session(), USER, {
    type: "message.started",
    messageId: "m1",
    role: "assistant",
  });
  const delta = {
    type: "message.delta",
    messageId: "m1",
    role: "assistant",
    text: "x",
  } as unknown as Event;
  assert.equal(touched(state, delta), 1);
  assert.equal(touched(state, { type: "usage.updated" } as unknown as Event), undefined);
  assert.equal(touched(state, { type: "session.rewound" } as unknown as Event), "all");
});

test("a snapshot becomes the same items, with attachments beside the prompt", () => {
  const state = fromAttach({
    sessionId: "s",
    seq: 7,
    commands: [],
    agents: [],
    events: [],
    pending: [],
    config: { mode: "default", model: "m" },
    snapshot: {
      title: "T",
      todos: [],
      usage: { used: 1, window: 2, costUsd: 0 },
      messages: [
        {
          messageId: "u",
          role: "user",
          blocks: [
            { type: "text", text: "look" },
            { type: "attachment", block: { type: "file", uri: "file:///a" } },
          ],
        },
        {
          messageId: "m",
          role: "assistant",
          blocks: [
            { type: "thought", text: "hm" },
            { type: "text", text: "one" },
            { type: "text", text: "two" },
            {
              type: "toolCall",
              call: {
                toolCallId: "c",
                name: "Read",
                title: "Read a",
                kind: "read",
                status: "completed",
                content: [],
              },
            },
            {
              type: "toolCall",
              call: {
                toolCallId: "e",
                name: "Edit",
                title: "Edit a b",
                kind: "edit",
                status: "completed",
                input: { file_path: "/w/a b", old_string: "x", new_string: "y" },
                content: [],
              },
            },
          ],
        },
      ],
    },
  });
  assert.deepEqual(
    state.items.map(({ kind }) => kind),
    ["message", "thought", "message", "tool", "tool"],
  );
  const edit = state.items[4];
  assert.deepEqual(edit?.kind === "tool" && edit.diff, {
    uri: "file:///w/a%20b",
    version: null,
    oldText: "x",
    newText: "y",
  });
  assert.ok(state.items[0]?.kind === "message");
  assert.equal(state.items[0].attachments.length, 1);
  assert.equal(state.items[0].checkpoint, true);
  assert.equal(state.items[2]?.kind === "message" && state.items[2].text, "one\n\ntwo");
  assert.equal(state.seq, 7);
});
