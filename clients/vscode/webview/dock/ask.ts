// Questions of the agent or of an MCP server: choices, a small form, or a page to open.
import type { AskParams, Question } from "../../src/wire.ts";
import type { Actions } from "../actions.ts";
import { button } from "../items/parts.ts";
import { h, type VNode } from "../vdom.ts";

export function ask(request: AskParams, actions: Actions): VNode {
  const { requestId } = request;
  const answer = (action: string, content?: Record<string, unknown>) =>
    actions.send({ type: "ask", requestId, result: { action, content } });
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault();
    answer("accept", collect(request, event.currentTarget as HTMLFormElement));
  };
  return h(
    "form",
    { class: "card ask", key: requestId, "aria-label": "A question", onsubmit },
    request.message !== undefined && h("div", { class: "card-title" }, request.message),
    (request.questions ?? []).map((question) => questionField(requestId, question)),
    fieldsOf(request).map(([name, schema]) => formField(name, schema)),
    request.url !== undefined &&
      button(request.url, "Open in the browser", () => actions.link(request.url ?? ""), "link"),
    h(
      "div",
      { class: "options" },
      h("button", { type: "submit", class: "primary" }, request.url ? "Done" : "Answer"),
      button("Decline", "Answer nothing", () => answer("decline"), "secondary"),
    ),
  );
}

function questionField(requestId: string, question: Question): VNode {
  const type = question.multiSelect ? "checkbox" : "radio";
  const free = question.freeText || question.options.length === 0;
  return h(
    "fieldset",
    {},
    h("legend", {}, question.text),
    question.options.map((option) =>
      h(
        "label",
        { class: "choice" },
        h("input", { type, name: question.id, value: option.label }),
        h("span", {}, option.label),
        option.description !== undefined && h("span", { class: "muted" }, option.description),
      ),
    ),
    free &&
      h("input", {
        type: "text",
        name: `${question.id}:text`,
        placeholder: "Your own answer",
        "aria-label": `${question.text}: your own answer`,
        key: requestId,
      }),
  );
}

interface Field {
  type?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
}

/** The fields of a form's flat schema. */
function fieldsOf(request: AskParams): [string, Field][] {
  const schema = request.form?.schema as { properties?: Record<string, Field> } | undefined;
  return Object.entries(schema?.properties ?? {});
}

function formField(name: string, field: Field): VNode {
  const label = field.title ?? name;
  const shared = { name, title: field.description, "aria-label": label };
  const first = field.default === undefined ? "" : String(field.default);
  let input: VNode;
  if (field.enum) {
    input = h("select", shared, field.enum.map((value) => h("option", { value: String(value) }, String(value))));
  } else if (field.type === "boolean") {
    input = h("input", { ...shared, type: "checkbox", checked: field.default === true });
  } else {
    const type = field.type === "number" || field.type === "integer" ? "number" : "text";
    input = h("input", { ...shared, type, value: first });
  }
  return h("label", { class: "field" }, h("span", {}, label), input);
}

function collect(request: AskParams, form: HTMLFormElement): Record<string, unknown> {
  const data = new FormData(form);
  const content: Record<string, unknown> = {};
  for (const question of request.questions ?? []) {
    const own = String(data.get(`${question.id}:text`) ?? "").trim();
    const taken = data.getAll(question.id).map(String);
    const answers = own === "" ? taken : [...taken, own];
    content[question.id] = question.multiSelect ? answers : (own || answers[0]) ?? "";
  }
  for (const [name, field] of fieldsOf(request)) {
    const value = data.get(name);
    if (field.type === "boolean") content[name] = value !== null;
    else if (value === null || value === "") continue;
    else content[name] = field.type === "number" || field.type === "integer" ? Number(value) : String(value);
  }
  return content;
}
