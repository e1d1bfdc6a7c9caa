// Markdown becomes elements from a short list, and nothing that a model writes becomes markup.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isPage, markdown } from "../webview/markdown.ts";
import { textOf, type Child, type VNode } from "../webview/vdom.ts";

const actions = { copy: () => undefined, apply: () => undefined, link: () => undefined };

/** `tag(children)` for each node, the text as it is. */
function outline(node: Child): string {
  return typeof node === "string" ? node : `${node.tag}(${node.children.map(outline).join("")})`;
}

function shape(text: string): string {
  return markdown(text, actions).map(outline).join("");
}

function all(nodes: Child[]): VNode[] {
  return nodes.flatMap((node) => (typeof node === "string" ? [] : [node, ...all(node.children)]));
}

const TABLE: [text: string, expected: string][] = [
  ["plain", "p(plain)"],
  ["**bold** and *thin* and ~~gone~~", "p(strong(bold) and em(thin) and del(gone))"],
  ["`a < b`", "p(code(a < b))"],
  ["# Title", "h3(Title)"],
  ["- one\n- two", "ul(li(one)li(two))"],
  ["3. three\n4. four", "ol(li(three)li(four))"],
  ["> said", "blockquote(p(said))"],
  ["a | b\n--|--\n1 | 2", "table(thead(tr(th(a)th(b)))tbody(tr(td(1)td(2))))"],
  ["one\n\n---\n\ntwo", "p(one)hr()p(two)"],
  ["AT&amp;T &lt;b&gt;", "p(AT&T <b>)"],
  ["", ""],
];

test("what models write", () => {
  for (const [text, expected] of TABLE) assert.equal(shape(text), expected, text);
});

test("a task has a box", () => {
  const [list] = markdown("- [x] done\n- [ ] open", actions);
  const boxes = all([list as VNode]).filter(({ tag }) => tag === "input");
  assert.deepEqual(boxes.map(({ props }) => props["checked"]), [true, false]);
  assert.equal(textOf(list as VNode).replace(/\s+/g, " ").trim(), "doneopen");
});

test("code has its language and buttons, and an open fence is code already", () => {
  const [block] = markdown("```ts\nlet a = 1;\n", actions);
  assert.equal(outline(block as VNode), "div(div(span(ts)button(Copy)button(Apply))pre(code(let a = 1;)))");
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "text <b onclick=alert(1)>bold</b>",
  "[click](javascript:alert(1))",
  "[click](data:text/html,<script>alert(1)</script>)",
  "[click](vbscript:x)",
  "[click](command:workbench.action.quit)",
  "![picture](https://tracker.example/a.png)",
  "<iframe src=https://example.com></iframe>",
  "<a href='javascript:alert(1)'>x</a>",
  "```html\n<script>alert(1)</script>\n```",
];

const ALLOWED = new Set(
  "p h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td hr br div span pre code button input a strong em del".split(" "),
);

test("hostile text stays text", () => {
  for (const text of HOSTILE) {
    for (const node of all(markdown(text, actions))) {
      assert.ok(ALLOWED.has(node.tag), `${node.tag} in ${text}`);
      const href = node.props["href"];
      assert.ok(href === undefined || isPage(String(href)), `${String(href)} in ${text}`);
      for (const name of Object.keys(node.props)) {
        assert.ok(!name.startsWith("on") || typeof node.props[name] === "function", name);
        assert.ok(!["src", "srcdoc", "style"].includes(name), name);
      }
    }
  }
});

test("links lead to pages only", () => {
  const lead = ["https://a.example/b", "http://a", "mailto:a@b"];
  const not = ["javascript:alert(1)", "file:///etc/passwd", "command:x", "//a", "a/b", "vscode:x"];
  assert.deepEqual(lead.map(isPage), lead.map(() => true));
  assert.deepEqual(not.map(isPage), not.map(() => false));
});
