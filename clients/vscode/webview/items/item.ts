// One item of the conversation.
import type { Item } from "../../src/model/state.ts";
import type { Actions } from "../actions.ts";
import { markdown } from "../markdown.ts";
import { h, type VNode } from "../vdom.ts";
import { message } from "./message.ts";
import { tool } from "./tool.ts";

export function renderItem(item: Item, actions: Actions): VNode {
  switch (item.kind) {
    case "message":
      return message(item, actions);
    case "tool":
      return tool(item, actions);
    case "thought":
      return h(
        "details",
        { class: "item thought" },
        h("summary", {}, item.streaming ? "Thinking …" : "Thought"),
        h("div", { class: "markdown" }, markdown(item.text, actions)),
      );
    case "summary":
      return h(
        "details",
        { class: "item summary" },
        h("summary", {}, "What was said before was summed up"),
        h("div", { class: "markdown" }, markdown(item.text, actions)),
      );
    case "note":
      return h(
        "div",
        { class: `item note ${item.severity}` },
        item.title !== undefined && h("div", { class: "note-title" }, item.title),
        h("div", { class: "note-text" }, item.text),
      );
  }
}
