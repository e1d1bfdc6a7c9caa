// The line below the input: what goes along, mode, model and effort, how full the context is and what
// it cost, and the buttons to send and to stop.
import type { Chip, Picture } from "../src/chat/messages.ts";
import { EFFORTS, MODES } from "../src/model/choices.ts";
import { fullness, money, tokens } from "../src/model/format.ts";
import type { SessionState } from "../src/model/state.ts";
import type { ModelInfo } from "../src/wire.ts";
import type { Actions } from "./actions.ts";
import { button } from "./items/parts.ts";
import { h, type VNode } from "./vdom.ts";

export function chips(all: Chip[], pictures: Picture[], actions: Actions, dropPicture: (at: number) => void): VNode[] {
  const shown = all.map(({ id, label, on }) =>
    h(
      "button",
      {
        type: "button",
        class: on ? "chip on" : "chip",
        role: "switch",
        "aria-checked": on ? "true" : "false",
        title: on ? `Goes along with the prompt: the ${id}. Click to leave it out.` : `Click to send the ${id} along.`,
        onclick: () => actions.send({ type: "chip", id, on: !on }),
      },
      `${on ? "✓ " : "+ "}${id === "selection" ? "Selection: " : ""}${label}`,
    ),
  );
  const added = pictures.map(({ name }, at) =>
    h("button", { type: "button", class: "chip on", title: "Click to remove the picture", onclick: () => dropPicture(at) }, `✓ ${name} ×`),
  );
  return [...shown, ...added];
}

export function controls(
  state: SessionState | undefined,
  models: ModelInfo[],
  actions: Actions,
  submit: (delivery: "auto" | "queue" | "steer") => void,
): VNode[] {
  const running = state?.turnId !== undefined;
  return [
    h("div", { class: "pickers" }, pickers(state, models, actions)),
    meter(state, actions),
    h(
      "div",
      { class: "send" },
      running && button("Stop", "Stop the turn (Escape)", () => actions.send({ type: "cancel" }), "secondary"),
      running && button("Queue", "Send it after this turn (Alt+Enter)", () => submit("queue"), "secondary"),
      button(running ? "Steer" : "Send", running ? "Tell it now (Enter)" : "Send (Enter)", () => submit(running ? "steer" : "auto"), "primary"),
    ),
  ];
}

function pickers(state: SessionState | undefined, models: ModelInfo[], actions: Actions): VNode[] {
  const config = state?.config;
  const lists = [
    picker("Mode", MODES.map(({ id, label }) => [id, label]), config?.mode, (mode) =>
      actions.send({ type: "config", set: { mode } }),
    ),
    picker("Model", models.map(({ id, name }) => [id, name]), config?.model, (model) =>
      actions.send({ type: "config", set: { model } }),
    ),
  ];
  const efforts = models.find(({ id }) => id === config?.model)?.efforts ?? EFFORTS;
  lists.push(
    picker("Effort", [["", "effort"], ...efforts.map((effort): [string, string] => [effort, effort])], config?.effort ?? "", (effort) => {
      if (effort) actions.send({ type: "config", set: { effort } });
    }),
  );
  return lists;
}

function picker(
  label: string,
  options: string[][],
  current: string | undefined,
  choose: (id: string) => void,
): VNode {
  const known = options.some(([id]) => id === current);
  const all = known || current === undefined ? options : [[current, current], ...options];
  return h(
    "select",
    {
      "aria-label": label,
      title: label,
      onchange: (event: Event) => {
        const select = event.currentTarget as HTMLSelectElement;
        const { value } = select;
        // The server decides; the list shows what holds until it has.
        select.value = current ?? "";
        choose(value);
      },
    },
    all.map(([id, name]) => h("option", { value: id, selected: id === current }, name ?? "")),
  );
}

function meter(state: SessionState | undefined, actions: Actions): VNode {
  const { used, window, costUsd } = state?.usage ?? { used: 0, window: 0, costUsd: 0 };
  const percent = fullness(used, window);
  const title = `Context: ${tokens(used)} of ${tokens(window)} tokens. Cost: ${money(costUsd)}. Click for more.`;
  return button(`${percent}% · ${money(costUsd)}`, title, () => actions.send({ type: "command", name: "bowline.session.context" }), "meter");
}
