// Brings a session's state forward by one event. The same code runs in the extension, which keeps the
// state, and in the chat view, which shows it; both see every event once.
import type { Event, Hunk, Problem, Task } from "../wire.ts";
import { findItem, freshId, type Item, type SessionState, type ThoughtItem } from "./state.ts";

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;
type Handlers = { [T in Event["type"]]?: (state: SessionState, event: EventOf<T>) => void };

/** Applies it; an event of a type that this version does not know changes only the number. */
export function applyEvent(state: SessionState, event: Event): void {
  state.seq = event.seq;
  const handler = handlers[event.type] as ((state: SessionState, event: Event) => void) | undefined;
  handler?.(state, event);
}

const handlers: Handlers = {
  "turn.started": (state, event) => {
    state.turnId = event.turnId;
    state.status = "running";
    state.suggestion = undefined;
  },
  "turn.ended": (state, event) => {
    state.turnId = undefined;
    state.status = "idle";
    settle(state);
    const text = turnNote(event.stopReason, event.error);
    if (text) note(state, event.error ? "error" : "info", text);
  },
  "message.started": (state, event) => {
    state.items.push({
      kind: "message",
      id: event.messageId,
      role: event.role,
      text: event.text ?? "",
      streaming: event.role === "assistant" && event.text === undefined,
      attachments: event.attachments ?? [],
      checkpoint: event.role === "user" && event.parentToolCallId === undefined,
      at: event.at,
      parent: event.parentToolCallId,
    });
  },
  "message.delta": (state, event) => {
    const item = findItem(state, "message", event.messageId);
    if (item) item.text += event.text;
    else handlers["message.started"]?.(state, { ...event, type: "message.started" });
  },
  "message.ended": (state, event) => {
    const item = findItem(state, "message", event.messageId);
    if (!item) return;
    item.streaming = false;
    if (event.text !== undefined) item.text = event.text;
  },
  "message.retracted": (state, event) => {
    const isOf = (item: Item) =>
      (item.kind === "message" && item.id === event.messageId) ||
      (item.kind === "thought" && item.messageId === event.messageId);
    state.items = state.items.filter((item) => !isOf(item));
  },
  "thought.started": (state, event) => {
    const { messageId } = event;
    state.items.push({ kind: "thought", id: freshId(state), messageId, text: "", streaming: true });
  },
  "thought.delta": (state, event) => {
    const item = thought(state, event.messageId);
    if (item) item.text += event.text;
  },
  "thought.ended": (state, event) => {
    const item = thought(state, event.messageId);
    if (!item) return;
    item.streaming = false;
    if (event.text !== undefined) item.text = event.text;
  },
  "tool.started": (state, event) => {
    state.items.push({
      kind: "tool",
      id: event.toolCallId,
      name: event.name,
      title: event.title,
      toolKind: event.kind,
      status: "pending",
      output: "",
      content: [],
      input: event.input,
      parent: event.parentToolCallId,
    });
  },
  "tool.updated": (state, event) => {
    const item = findItem(state, "tool", event.toolCallId);
    if (!item) return;
    item.status = event.status;
    item.title = event.title ?? item.title;
    item.input = event.input ?? item.input;
    item.locations = event.locations ?? item.locations;
    item.progress = event.progress?.message ?? item.progress;
    if (event.progress?.output) item.output = tail(item.output + event.progress.output);
  },
  "tool.ended": (state, event) => {
    const item = findItem(state, "tool", event.toolCallId);
    if (!item) return;
    item.status = event.status;
    item.content = event.content;
    item.diff = event.diff;
    item.durationMs = event.durationMs;
    item.progress = undefined;
    // The result has all of it.
    if (event.content.some((part) => part.type === "output")) item.output = "";
  },
  "plan.updated": (state, event) => {
    state.plan = event.entries;
  },
  "todos.updated": (state, event) => {
    state.todos = event.items;
  },
  "queue.updated": (state, event) => {
    state.queue = event.queue;
  },
  "config.updated": (state, event) => {
    state.config = event.config;
  },
  "commands.updated": (state, event) => {
    state.commands = event.commands;
    state.agents = event.agents ?? state.agents;
  },
  "command.output": (state, event) => {
    note(state, "info", event.text, event.command);
  },
  "usage.updated": (state, event) => {
    state.usage = { used: event.used, window: event.window, costUsd: event.costUsd };
  },
  "compaction.ended": (state, event) => {
    if (event.error) note(state, "error", event.error.message);
    else state.items.push({ kind: "summary", id: freshId(state), text: event.summary ?? "" });
  },
  retry: (state, event) => {
    const seconds = Math.max(1, Math.round(event.delayMs / 1000));
    note(state, "warning", `${event.error.message} Trying again in ${seconds} s.`);
  },
  notice: (state, event) => note(state, event.severity, event.text),
  "hook.ended": (state, event) => {
    if (event.text) note(state, event.outcome === "success" ? "info" : "warning", event.text);
  },
  "task.started": (state, event) => putTask(state, event.task),
  "task.updated": (state, event) => putTask(state, event.task),
  "task.ended": (state, event) => putTask(state, event.task),
  "hunk.added": (state, event) => putHunk(state, event.hunk),
  "hunk.updated": (state, event) => putHunk(state, event.hunk),
  "hunk.resolved": (state, event) => putHunk(state, event.hunk),
  "hunks.moved": (state, event) => {
    for (const { id, range } of event.hunks) {
      const hunk = state.hunks.find((known) => known.id === id);
      if (hunk) Object.assign(hunk, { range, version: event.version });
    }
  },
  "session.rewound": (state, event) => {
    state.undoToken = event.undoToken;
    if (event.what === "files") return;
    const at = state.items.findIndex(
      (item) => item.kind === "message" && item.id === event.toMessage,
    );
    if (at >= 0) state.items = state.items.slice(0, at);
  },
  "session.updated": (state, event) => {
    state.title = event.title ?? state.title;
    state.status = event.status ?? state.status;
  },
  suggestion: (state, event) => {
    state.suggestion = event.text;
  },
  "away.summarized": (state, event) => note(state, "info", event.text, "While you were away"),
};

/** Output that is still running is shown by its end; the whole of it comes with the result. */
const OUTPUT_CAP = 64 * 1024;

function tail(output: string): string {
  return output.length > OUTPUT_CAP ? output.slice(-OUTPUT_CAP) : output;
}

function thought(state: SessionState, messageId: string): ThoughtItem | undefined {
  return state.items.findLast(
    (item): item is ThoughtItem => item.kind === "thought" && item.messageId === messageId,
  );
}

function note(state: SessionState, severity: string, text: string, title?: string): void {
  state.items.push({ kind: "note", id: freshId(state), severity, text, title });
}

/** After a turn nothing streams any more, whatever was left open. */
function settle(state: SessionState): void {
  for (let at = state.items.length - 1; at >= 0; at -= 1) {
    const item = state.items[at];
    if (item?.kind === "message" && item.role === "user") break;
    if (item?.kind === "message" || item?.kind === "thought") item.streaming = false;
  }
}

function putTask(state: SessionState, task: Task): void {
  const others = state.tasks.filter((known) => known.taskId !== task.taskId);
  state.tasks = task.status === "running" ? [...others, task] : others;
}

/** Only what still waits for a decision is kept. */
function putHunk(state: SessionState, hunk: Hunk): void {
  const at = state.hunks.findIndex((known) => known.id === hunk.id);
  if (hunk.state !== "pending") {
    if (at >= 0) state.hunks.splice(at, 1);
  } else if (at >= 0) state.hunks[at] = hunk;
  else state.hunks.push(hunk);
  markUndoable(state, hunk.toolCallId);
}

/** Whether what a call changed can be taken back. */
export function markUndoable(state: SessionState, toolCallId: string): void {
  const item = findItem(state, "tool", toolCallId);
  if (item) item.isUndoable = state.hunks.some((hunk) => hunk.toolCallId === toolCallId);
}

function turnNote(reason: string, error: Problem | undefined): string | undefined {
  if (error) return error.message;
  switch (reason) {
    case "end_turn":
      return undefined;
    case "cancelled":
      return "Stopped.";
    case "max_tokens":
      return "The answer was cut off because it became too long.";
    case "max_turns":
      return "Stopped after as many steps as were allowed.";
    case "max_budget":
      return "Stopped because the budget is used up.";
    case "refusal":
      return "The model refused to go on.";
    case "hook_stopped":
      return "A hook stopped the turn.";
    case "tool_deferred":
      return "A hook put a call off until somebody decides about it.";
    default:
      return `The turn ended: ${reason}.`;
  }
}
