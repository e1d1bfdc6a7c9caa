// Pieces that several items are made of: a change, the output of a command, a button, a picture.
import { duration, fileName } from "../../src/model/format.ts";
import { countChanges, lineDiff } from "../../src/model/lineDiff.ts";
import type { ContentPart, FileDiff } from "../../src/wire.ts";
import type { Actions } from "../actions.ts";
import { h, type VNode } from "../vdom.ts";

/** A change longer than this is cut; the diff editor has all of it. */
const DIFF_LINES = 80;
const OUTPUT_LINES = 200;

export function button(label: string, title: string, onclick: () => void, kind = "small"): VNode {
  return h("button", { class: kind, type: "button", title, onclick }, label);
}

export function change(file: FileDiff, title: string, actions: Actions): VNode {
  const lines = lineDiff(file.oldText, file.newText);
  const { added, removed } = countChanges(lines);
  const shown = lines.slice(0, DIFF_LINES);
  const sign = { added: "+", removed: "−", same: " ", gap: "⋯" };
  const rows = shown.map(({ kind, text, line }) =>
    h(
      "div",
      { class: `diff-line ${kind}` },
      h("span", { class: "diff-number", "aria-hidden": "true" }, kind === "gap" ? "" : String(line)),
      h("span", { class: "diff-sign" }, sign[kind]),
      h("span", { class: "diff-text" }, text),
    ),
  );
  const what = file.oldText === null ? "new file" : file.newText === null ? "deleted" : "";
  return h(
    "div",
    { class: "diff" },
    h(
      "div",
      { class: "diff-bar" },
      button(fileName(file.uri), `Open ${file.uri}`, () => actions.open(file.uri), "link"),
      h("span", { class: "muted" }, what),
      h("span", { class: "added-count" }, `+${added}`),
      h("span", { class: "removed-count" }, `−${removed}`),
      button("Diff", "Show the change in the diff editor", () => actions.diff(file, title)),
    ),
    h("div", { class: "diff-lines", tabindex: 0, role: "region", "aria-label": `Change of ${fileName(file.uri)}` }, rows),
    lines.length > DIFF_LINES && h("div", { class: "muted pad" }, `… ${lines.length - DIFF_LINES} more lines`),
  );
}

export function output(text: string, exitCode?: number | null): VNode {
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(-OUTPUT_LINES);
  const cut = lines.length - shown.length;
  return h(
    "div",
    { class: "output" },
    cut > 0 && h("div", { class: "muted" }, `… ${cut} lines above`),
    h("pre", { tabindex: 0, "aria-label": "Output" }, withoutEscapes(shown.join("\n"))),
    typeof exitCode === "number" && exitCode !== 0 && h("div", { class: "failed" }, `exit code ${exitCode}`),
  );
}

export function content(part: ContentPart, title: string, actions: Actions): VNode | undefined {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? undefined : output(part.text);
    case "output":
      return output(part.text, part.exitCode);
    case "diff":
      return change(part, title, actions);
    case "image":
      return image(part.mimeType, part.data, `${part.width ?? "?"}×${part.height ?? "?"}`);
    case "link":
      return button(part.title ?? part.uri, part.uri, () => actions.openAny(part.uri), "link");
    default:
      return undefined;
  }
}

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function image(mimeType: string, data: string | undefined, label: string): VNode {
  if (!data || !IMAGES.has(mimeType) || !/^[A-Za-z0-9+/=]+$/.test(data)) {
    return h("span", { class: "chip" }, `picture ${label}`);
  }
  return h("img", { class: "picture", src: `data:${mimeType};base64,${data}`, alt: `Picture, ${label}` });
}

export function took(milliseconds: number | undefined): VNode | undefined {
  if (milliseconds === undefined || milliseconds < 1000) return undefined;
  return h("span", { class: "muted" }, duration(milliseconds));
}

/** Colours and cursor moves of terminals mean nothing here. */
export function withoutEscapes(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\r(?!\n)/g, "");
}
