// What the user or the model said.
import { fileName } from "../../src/model/format.ts";
import type { MessageItem } from "../../src/model/state.ts";
import type { Block } from "../../src/wire.ts";
import type { Actions } from "../actions.ts";
import { markdown } from "../markdown.ts";
import { h, type VNode } from "../vdom.ts";
import { button, image } from "./parts.ts";

export function message(item: MessageItem, actions: Actions): VNode {
  return item.role === "user" ? userMessage(item, actions) : answer(item, actions);
}

function userMessage(item: MessageItem, actions: Actions): VNode {
  const tools = h(
    "div",
    { class: "item-tools" },
    item.checkpoint &&
      button("Rewind", "Go back to before this prompt", () => actions.send({ type: "rewind", messageId: item.id })),
    button("Copy", "Copy the prompt", () => actions.copy(item.text)),
  );
  return h(
    "section",
    { class: "item user", "aria-label": "You" },
    h("div", { class: "user-text" }, item.text),
    item.attachments.length > 0 && h("div", { class: "chips" }, item.attachments.flatMap(attachment)),
    tools,
  );
}

function answer(item: MessageItem, actions: Actions): VNode {
  const tools = h(
    "div",
    { class: "item-tools" },
    button("Copy", "Copy the answer", () => actions.copy(item.text)),
    button("Fork", "Go on from here in a copy of the session", () =>
      actions.send({ type: "fork", messageId: item.id }),
    ),
  );
  return h(
    "section",
    {
      class: `item answer${item.parent ? " nested" : ""}`,
      "aria-label": "Bowline",
      "aria-busy": item.streaming ? "true" : "false",
    },
    h("div", { class: "markdown" }, markdown(item.text, actions)),
    item.streaming ? h("span", { class: "caret", "aria-hidden": "true" }) : tools,
  );
}

/** Everything that went along with a prompt is shown with it. */
function attachment(block: Block): VNode[] {
  switch (block.type) {
    case "image":
      return [image(block.mimeType, block.data, `${block.width ?? "?"}×${block.height ?? "?"}`)];
    case "document":
      return [h("span", { class: "chip" }, block.title ?? "PDF")];
    case "file":
      return [h("span", { class: "chip", title: block.uri }, fileName(block.uri))];
    case "selection": {
      const { start, end } = block.range;
      const label = `${fileName(block.uri)}, lines ${start.line + 1}–${end.line + 1}`;
      return [h("span", { class: "chip", title: block.text }, label)];
    }
    case "diagnostics":
      return [h("span", { class: "chip" }, `${block.items.length} problems of ${fileName(block.uri)}`)];
    case "resource":
      return [h("span", { class: "chip" }, `${block.server}: ${block.uri}`)];
    default:
      return [];
  }
}
