// A permission request: what, why, the thing itself, and every answer with how far it reaches. The
// digits choose an answer while the keyboard is in the card.
import type { PermissionOption, PermissionRequestParams, Subject } from "../../src/wire.ts";
import type { Actions } from "../actions.ts";
import { button, change, output } from "../items/parts.ts";
import { markdown } from "../markdown.ts";
import { h, type Child, type VNode } from "../vdom.ts";

export function permission(request: PermissionRequestParams, actions: Actions): VNode {
  const { requestId, options } = request;
  const feedback = () =>
    document
      .querySelector<HTMLInputElement>(`[data-feedback="${CSS.escape(requestId)}"]`)
      ?.value.trim();
  const choose = (option: PermissionOption | undefined) => {
    if (!option) return;
    const said = option.kind === "deny" ? feedback() || undefined : undefined;
    actions.send({ type: "permission", requestId, optionId: option.id, feedback: said });
  };
  const onkeydown = (event: KeyboardEvent) => {
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const option = options[Number(event.key) - 1];
    if (option) {
      event.preventDefault();
      choose(option);
    }
  };
  return h(
    "section",
    {
      class: "card permission",
      key: requestId,
      role: "group",
      "aria-label": `Permission: ${request.title}`,
      onkeydown,
    },
    h("div", { class: "card-title" }, request.title),
    request.agent !== undefined &&
      h("div", { class: "muted" }, `asked by the agent ${request.agent}`),
    h("div", { class: "muted" }, request.reason),
    h("div", { class: "subject-box" }, subject(request, actions)),
    answers(options, choose),
    changeFirst(request, actions),
    h("input", {
      class: "feedback",
      type: "text",
      "data-feedback": requestId,
      placeholder: "If not: what instead?",
      "aria-label": "What to do instead, told with a denial",
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Enter") choose(options.find(({ kind }) => kind === "deny"));
      },
    }),
  );
}

/** A command can be changed before it is allowed, this once. */
function changeFirst(request: PermissionRequestParams, actions: Actions): VNode | undefined {
  const input = request.toolCall?.input as Record<string, unknown> | undefined;
  const allow = request.options.find(({ kind, scope }) => kind === "allow" && scope === "once");
  if (!request.editable || !allow || typeof input?.["command"] !== "string") return undefined;
  const { requestId } = request;
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const command = new FormData(event.currentTarget as HTMLFormElement).get("command");
    const editedInput = { ...input, command: String(command) };
    actions.send({ type: "permission", requestId, optionId: allow.id, editedInput });
  };
  return h(
    "details",
    { class: "more" },
    h("summary", {}, "Change the command first …"),
    h(
      "form",
      { onsubmit },
      h("textarea", { name: "command", rows: 3, "aria-label": "Command", value: input["command"] }),
      h("button", { type: "submit", class: "secondary" }, "Allow this once"),
    ),
  );
}

/** Yes and no in sight; answers that reach further take one more step. */
function answers(options: PermissionOption[], choose: (option: PermissionOption) => void): VNode {
  const allow = options.find(({ kind }) => kind === "allow");
  const deny = options.find(({ kind }) => kind === "deny");
  const answer = (option: PermissionOption, kind: string) =>
    h(
      "button",
      {
        type: "button",
        class: kind,
        title: hint(option, options.indexOf(option)),
        onclick: () => choose(option),
      },
      option.label,
    );
  const others = options.filter((option) => option !== allow && option !== deny);
  return h(
    "div",
    { class: "options" },
    allow && answer(allow, "primary"),
    deny && answer(deny, "secondary"),
    others.length > 0 &&
      h(
        "details",
        { class: "more" },
        h("summary", {}, "For longer …"),
        others.map((option) => answer(option, "secondary")),
      ),
  );
}

function hint(option: PermissionOption, at: number): string {
  const rule = option.rule ? `, adds the rule ${option.rule}` : "";
  return `${option.label} (${at + 1}): for ${option.scope}${rule}`;
}

function subject(request: PermissionRequestParams, actions: Actions): VNode[] {
  const about: Subject = request.subject;
  const line = (...children: Child[]) => h("div", { class: "subject" }, children);
  switch (about.kind) {
    case "command":
      return [
        output(about.command),
        line(`in ${about.cwd}`),
        ...(about.sandbox ? [line(`kept in by ${about.sandbox}`)] : []),
      ];
    case "edit":
      return [
        ...[about, ...(about.others ?? [])].map((file) => change(file, request.title, actions)),
        button("Open the diff editor", "Show the whole change", () =>
          actions.send({ type: "subject", requestId: request.requestId }),
        ),
      ];
    case "read":
      return [line(about.target ? `${about.uri} → ${about.target}` : about.uri)];
    case "fetch":
      return [line(about.url)];
    case "host":
      return [line(`${about.host}:${about.port}`)];
    case "mcp":
      return [line(`${about.server}: ${about.tool}`), output(JSON.stringify(about.input, null, 2))];
    case "plan":
      return [h("div", { class: "markdown plan-text" }, markdown(about.text, actions))];
    case "trust":
      return [
        line(about.cwd),
        h(
          "ul",
          {},
          about.what.map((what) => h("li", {}, what)),
        ),
      ];
    default:
      return [];
  }
}

/** Digits typed there are text. */
function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
