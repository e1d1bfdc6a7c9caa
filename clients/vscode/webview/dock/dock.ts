// What stands between the conversation and the input: questions that wait, the plan and the todo list,
// prompts in the queue, background tasks, and changes to decide about.
import { fileName, oneLine } from "../../src/model/format.ts";
import type { SessionState } from "../../src/model/state.ts";
import type { Pending, QueuedPrompt } from "../../src/wire.ts";
import type { Actions } from "../actions.ts";
import { button } from "../items/parts.ts";
import { h, type VNode } from "../vdom.ts";
import { ask } from "./ask.ts";
import { permission } from "./permission.ts";

export function dock(
  state: SessionState | undefined,
  pending: Pending[],
  actions: Actions,
): VNode[] {
  const asked = pending.map((entry) =>
    entry.type === "permission" ? permission(entry.request, actions) : ask(entry.request, actions),
  );
  if (!state) return asked;
  const parts = [
    entries(
      "Plan",
      state.plan.map(({ content, status }) => ({ text: content, status })),
    ),
    entries(
      "Todos",
      state.todos.map(({ content, activeForm, status }) => ({
        text: status === "in_progress" ? (activeForm ?? content) : content,
        status,
      })),
    ),
    queue(state.queue, actions),
    tasks(state, actions),
    changes(state, actions),
    undoRewind(state, actions),
  ];
  return [...parts.filter((part) => part !== undefined), ...asked];
}

function entries(title: string, items: { text: string; status: string }[]): VNode | undefined {
  if (items.length === 0) return undefined;
  const done = items.filter(({ status }) => status === "completed").length;
  const sign: Record<string, string> = { completed: "✓", in_progress: "●", pending: "○" };
  const current = items.find(({ status }) => status === "in_progress")?.text ?? "";
  return h(
    "details",
    { class: "panel", key: title, initialOpen: true },
    h(
      "summary",
      {},
      h("span", {}, `${title} ${done}/${items.length}`),
      h("span", { class: "muted" }, current),
    ),
    h(
      "ul",
      { class: "todos" },
      items.map(({ text, status }) =>
        h(
          "li",
          { class: status },
          h("span", { "aria-label": status, role: "img" }, sign[status] ?? "○"),
          ` ${text}`,
        ),
      ),
    ),
  );
}

function queue(prompts: QueuedPrompt[], actions: Actions): VNode | undefined {
  if (prompts.length === 0) return undefined;
  const rows = prompts.map((prompt, at) => {
    const text = prompt.content
      .map((block) => (block.type === "text" ? block.text : `[${block.type}]`))
      .join(" ");
    const { messageId } = prompt;
    return h(
      "li",
      {},
      h("span", { class: "grow", title: text }, oneLine(text)),
      at > 0 &&
        button("↑", "Earlier", () =>
          actions.send({ type: "queue", op: "move", messageId, to: at - 1 }),
        ),
      button("Remove", "Take it out of the queue", () =>
        actions.send({ type: "queue", op: "remove", messageId }),
      ),
    );
  });
  return h(
    "details",
    { class: "panel", key: "queue", initialOpen: true },
    h("summary", {}, `Waiting prompts ${prompts.length}`),
    h("ol", { class: "queue" }, rows),
  );
}

function tasks(state: SessionState, actions: Actions): VNode | undefined {
  if (state.tasks.length === 0) return undefined;
  const rows = state.tasks.map(({ taskId, title }) =>
    h(
      "li",
      {},
      h("span", { class: "grow", title }, oneLine(title)),
      button("Stop", "Stop this task", () => actions.send({ type: "cancel", taskId })),
    ),
  );
  return h(
    "details",
    { class: "panel", key: "tasks" },
    h("summary", {}, `In the background ${rows.length}`),
    h("ul", { class: "queue" }, rows),
  );
}

function changes(state: SessionState, actions: Actions): VNode | undefined {
  const { hunks } = state;
  if (hunks.length === 0) return undefined;
  const files = [...new Set(hunks.map(({ uri }) => fileName(uri)))];
  const what = `${hunks.length} ${hunks.length === 1 ? "change" : "changes"} in ${files.join(", ")}`;
  return h(
    "div",
    { class: "panel review", key: "changes", role: "group", "aria-label": what },
    h("span", { class: "grow", title: what }, what),
    button("Show", "Go to the next change", () =>
      actions.send({ type: "command", name: "bowline.change.next" }),
    ),
    button("Accept all", "Keep all changes", () =>
      actions.send({ type: "review", action: "accept" }),
    ),
    button("Reject all", "Take all changes back", () =>
      actions.send({ type: "review", action: "reject" }),
    ),
  );
}

function undoRewind(state: SessionState, actions: Actions): VNode | undefined {
  if (state.undoToken === undefined) return undefined;
  return h(
    "div",
    { class: "panel review", key: "rewound", role: "status" },
    h("span", { class: "grow" }, "The session went back."),
    button("Undo the rewind", "Go forward again", () =>
      actions.send({ type: "command", name: "bowline.session.unrewind" }),
    ),
  );
}
