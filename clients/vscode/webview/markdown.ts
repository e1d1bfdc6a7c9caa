// Markdown as a tree of elements. It is built from the parser's tokens, kind by kind: what is not in
// these lists, HTML above all, is shown as the text it is. Links lead to pages only.
import { lexer, type Token, type Tokens } from "marked";
import { h, type Child, type VNode } from "./vdom.ts";

export interface MarkdownActions {
  copy: (text: string) => void;
  apply: (text: string) => void;
  link: (href: string) => void;
}

/** The blocks of a text, one node each. */
export function markdown(text: string, actions: MarkdownActions): VNode[] {
  return lexer(text, { gfm: true }).flatMap((token) => block(token, actions));
}

function block(token: Token, actions: MarkdownActions): VNode[] {
  const inside = (tokens: Token[] | undefined) => inlines(tokens ?? [], actions);
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [h(`h${Math.min(6, (token as Tokens.Heading).depth + 2)}`, {}, inside(token.tokens))];
    case "paragraph":
      return [h("p", {}, inside(token.tokens))];
    case "text":
      return [h("p", {}, token.tokens ? inside(token.tokens) : [plain(token.text)])];
    case "code":
      return [code(token as Tokens.Code, actions)];
    case "blockquote":
      return [h("blockquote", {}, blocks(token.tokens, actions))];
    case "list":
      return [list(token as Tokens.List, actions)];
    case "table":
      return [table(token as Tokens.Table, actions)];
    case "hr":
      return [h("hr")];
    default:
      return [h("p", {}, token.raw)];
  }
}

function blocks(tokens: Token[] | undefined, actions: MarkdownActions): VNode[] {
  return (tokens ?? []).flatMap((token) => block(token, actions));
}

function code(token: Tokens.Code, actions: MarkdownActions): VNode {
  const language = (token.lang ?? "").split(/\s/)[0] ?? "";
  const button = (label: string, title: string, run: () => void) =>
    h("button", { class: "small", title, type: "button", onclick: run }, label);
  return h(
    "div",
    { class: "code" },
    h(
      "div",
      { class: "code-bar" },
      h("span", { class: "code-language" }, language),
      button("Copy", "Copy the code", () => actions.copy(token.text)),
      button("Apply", "Put it where the caret is in the editor", () => actions.apply(token.text)),
    ),
    h("pre", { tabindex: 0, "aria-label": language ? `${language} code` : "code" }, h("code", {}, token.text)),
  );
}

function list(token: Tokens.List, actions: MarkdownActions): VNode {
  const items = token.items.map((item) => {
    const box = item.task
      ? h("input", { type: "checkbox", disabled: true, checked: item.checked ?? false })
      : undefined;
    // The items of a list without gaps are lines, not paragraphs. The box above stands for its token.
    const content = item.tokens
      .filter((inner) => (inner.type as string) !== "checkbox")
      .flatMap((inner): Child[] =>
        inner.type === "text" ? inlines(inner.tokens ?? [inner], actions) : block(inner, actions),
      );
    return h("li", {}, box, content);
  });
  const start = token.ordered && token.start !== 1 && token.start !== "" ? token.start : undefined;
  return h(token.ordered ? "ol" : "ul", { start }, items);
}

function table(token: Tokens.Table, actions: MarkdownActions): VNode {
  const cells = (tag: string, row: Tokens.TableCell[]) =>
    h("tr", {}, row.map((cell) => h(tag, {}, inlines(cell.tokens, actions))));
  return h(
    "table",
    {},
    h("thead", {}, cells("th", token.header)),
    h("tbody", {}, token.rows.map((row) => cells("td", row))),
  );
}

function inlines(tokens: Token[], actions: MarkdownActions): Child[] {
  return tokens.flatMap((token) => inline(token, actions));
}

const WRAPPED: Record<string, string> = { strong: "strong", em: "em", del: "del" };

function inline(token: Token, actions: MarkdownActions): Child[] {
  const wrapped = WRAPPED[token.type];
  if (wrapped) {
    const { tokens } = token as Tokens.Strong;
    return [h(wrapped, {}, inlines(tokens, actions))];
  }
  switch (token.type) {
    case "codespan":
      return [h("code", {}, plain((token as Tokens.Codespan).text))];
    case "br":
      return [h("br")];
    case "link":
      return [link(token as Tokens.Link, actions)];
    case "image":
      // A picture from elsewhere would tell its host that it was seen.
      return [plain((token as Tokens.Image).text || (token as Tokens.Image).href)];
    case "text":
    case "escape": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inlines(tokens, actions) : [plain(text)];
    }
    default:
      return [token.raw];
  }
}

function link(token: Tokens.Link, actions: MarkdownActions): Child {
  const content = inlines(token.tokens, actions);
  if (!isPage(token.href)) return h("span", { title: token.href }, content);
  const open = (event: Event) => {
    event.preventDefault();
    actions.link(token.href);
  };
  return h("a", { href: token.href, title: token.href, onclick: open }, content);
}

export function isPage(href: string): boolean {
  try {
    return ["https:", "http:", "mailto:"].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": "\u00a0",
};

/** Text as the writer meant it: the few entities that models use are the characters they name. */
function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}
