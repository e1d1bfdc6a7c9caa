// A call of a tool: one line with its state, and what it printed or changed folded below. Output is
// shown as it comes.
import type { ToolItem } from "../../src/model/state.ts";
import type { Actions } from "../actions.ts";
import { h, type VNode } from "../vdom.ts";
import { button, change, content, output, took } from "./parts.ts";

const STATES: Record<string, { sign: string; word: string }> = {
  pending: { sign: "○", word: "begins" },
  waiting: { sign: "?", word: "waits for your permission" },
  running: { sign: "●", word: "runs" },
  completed: { sign: "✓", word: "done" },
  failed: { sign: "✗", word: "failed" },
  denied: { sign: "⊘", word: "denied" },
  cancelled: { sign: "⊘", word: "stopped" },
};

export function tool(item: ToolItem, actions: Actions): VNode {
  const state = STATES[item.status] ?? { sign: "○", word: item.status };
  const running = item.status === "running" || item.status === "pending";
  const body = bodyOf(item, actions);
  const line = [
    h(
      "span",
      { class: `tool-sign ${item.status}`, "aria-label": state.word, role: "img" },
      state.sign,
    ),
    h("span", { class: "tool-name" }, item.name),
    h("span", { class: "tool-title", title: item.title }, titleOf(item)),
    item.progress !== undefined && h("span", { class: "muted" }, item.progress),
    took(item.durationMs),
    running && stopButton(item, actions),
    item.isUndoable === true && undoButton(item, actions),
  ];
  const kind = `item tool${item.parent ? " nested" : ""}`;
  if (body.length === 0)
    return h("div", { class: kind, key: "line" }, h("div", { class: "tool-line" }, line));
  // Changes are what one wants to see; the rest is there for whoever looks.
  const initialOpen = item.diff !== undefined || item.status === "failed" || item.output !== "";
  return h(
    "details",
    { class: kind, initialOpen, key: "folded" },
    h("summary", { class: "tool-line" }, line),
    h("div", { class: "tool-body" }, body),
  );
}

/** Titles repeat the tool's name where they stand alone. */
function titleOf(item: ToolItem): string {
  if (item.title === item.name) return "";
  const name = `${item.name} `;
  return item.title.startsWith(name) ? item.title.slice(name.length) : item.title;
}

function bodyOf(item: ToolItem, actions: Actions): VNode[] {
  const parts: VNode[] = [];
  const diffs = item.content.filter((part) => part.type === "diff");
  if (item.diff && diffs.length === 0) parts.push(change(item.diff, item.title, actions));
  if (item.output !== "") parts.push(output(item.output));
  for (const part of item.content) {
    // What the model is told about an edit is less than the diff says.
    if (part.type === "text" && (item.diff || diffs.length > 0) && item.status === "completed")
      continue;
    const shown = content(part, item.title, actions);
    if (shown) parts.push(shown);
  }
  return parts;
}

function stopButton(item: ToolItem, actions: Actions): VNode {
  return button("Stop", "Stop this call only", () =>
    actions.send({ type: "cancel", toolCallId: item.id }),
  );
}

/** The editor's own undo reaches only files that were open; this one reaches all. */
function undoButton(item: ToolItem, actions: Actions): VNode {
  return button("Undo", "Take the changes of this call back", () =>
    actions.send({ type: "review", action: "reject", toolCallId: item.id }),
  );
}
