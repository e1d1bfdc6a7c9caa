// Five changes, four lines typed above: marks, keys and the comparison are about the text as it is now
import { check, proof, type Editor } from "./kit.ts";

const SPOTS = ["alpha", "beta", "gamma", "delta", "epsilon"];

function textWith(spots: string[]): string {
  return spots.map((spot) => `const before_${spot.toLowerCase()} = 0;\n${spot}();\n`).join("\n");
}

const BEFORE = textWith(SPOTS);
const after = (...without: string[]) =>
  textWith(SPOTS.map((spot) => (without.includes(spot) ? spot : spot.toUpperCase())));
const TYPED = "let one = 1;\nlet two = 2;\nlet three = 3;\nlet four = 4;\n";

function edits(file: string): string {
  const steps = SPOTS.map((spot) => {
    const input = `file_path = "{{cwd}}/${file}", old_string = "\\n${spot}()", new_string = "\\n${spot.toUpperCase()}()"`;
    return `  { tool = "Edit", input = { ${input} } },`;
  });
  return `
[[answer]]
step = [{ tool = "Read", input = { file_path = "{{cwd}}/${file}" } }]

[[answer]]
step = [
${steps.join("\n")}
]

[[answer]]
step = [{ text = "Done with ${file}." }]
`;
}

/** The lines on the screen that are marked as the agent's, from one. */
async function marked(editor: Editor): Promise<number[]> {
  return editor.page.evaluate(() => {
    const shown = document.querySelector(".editor-group-container.active .editor-instance");
    const rows = (what: string) => [...(shown?.querySelectorAll<HTMLElement>(what) ?? [])];
    const top = (row: HTMLElement) => Number.parseFloat(row.style.top);
    const tops = rows(".view-lines .view-line").map(top);
    tops.sort((one, other) => one - other);
    const ours = rows(".view-overlays > div").filter((row) => row.querySelector("[class*='ced-']"));
    return ours.map((row) => tops.indexOf(top(row)) + 1).sort((one, other) => one - other);
  });
}

/** Where the text has the agent's words. */
async function changed(editor: Editor): Promise<number[]> {
  const lines = await editor.lines();
  return lines.flatMap((line, at) => (/^[A-Z]+\(\);/.test(line) ? [at + 1] : []));
}

async function marksAreRight(editor: Editor, count: number, when: string): Promise<void> {
  await editor.until(
    async () => {
      const [marks, lines] = [await marked(editor), await changed(editor)];
      return lines.length === count && JSON.stringify(marks) === JSON.stringify(lines);
    },
    `the marks are on the changed lines ${when}`,
    async () => ({ marks: await marked(editor), lines: await editor.lines() }),
  );
}

await proof(
  async (editor) => {
    const { page } = editor;
    await editor.open();
    await editor.openChat();
    await editor.openFile("main.ts");
    await editor.ask("change main.ts");
    await editor.untilText(after(), "five changes are in the text");
    await editor.chat().locator(".item", { hasText: "Done with main.ts." }).waitFor();
    await page.locator(".view-line").first().click();
    await marksAreRight(editor, 5, "before anything is typed");
    await editor.shot("1-changed");

    await editor.goTo(1);
    await page.keyboard.type(TYPED);
    await editor.untilText(TYPED + after(), "four lines are typed above");
    await marksAreRight(editor, 5, "after typing above them");
    await page.locator(".codelens-decoration", { hasText: "Accept" }).first().waitFor();
    await editor.shot("2-typed");

    // The caret is in the third; its key rejects that one and no other.
    const third = (await changed(editor))[2] ?? 0;
    await editor.goTo(third, 3);
    await page.keyboard.press("Control+Alt+Backspace");
    await editor.untilText(TYPED + after("gamma"), "the third change is taken back");
    await marksAreRight(editor, 4, "after one was rejected");
    await page.locator(".codelens-decoration", { hasText: "4 changes" }).waitFor();
    await editor.shot("3-rejected");

    // Typing and the key at once: the server may not have heard of what was typed.
    await editor.goTo(1);
    await page.keyboard.type("let five = 5;\n");
    await editor.goTo(third - 3 + 1, 1);
    await page.keyboard.press("Control+Alt+Enter");
    await page.locator(".codelens-decoration", { hasText: "3 changes" }).waitFor();
    const now = `let five = 5;\n${TYPED}${after("gamma")}`;
    await editor.untilText(now, "the text is what it was");

    // The comparison has a text that once was there on its left, and this one on its right.
    await editor.command("Bowline: Show the Changes of This File");
    const sides = page.locator(".monaco-diff-editor .editor");
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await editor.shot("4-compared");
    const shown = await page.evaluate(() =>
      [".original", ".modified"].map((side) => {
        const lines = [
          ...document.querySelectorAll<HTMLElement>(
            `.monaco-diff-editor .editor${side} .view-line`,
          ),
        ];
        lines.sort((a, b) => Number.parseFloat(a.style.top) - Number.parseFloat(b.style.top));
        return lines.map((line) => (line.textContent ?? "").replaceAll("\u00a0", " ")).join("\n");
      }),
    );
    check((await sides.count()) >= 2, "two sides are shown");
    const accepted = now.replace(/ALPHA|BETA|DELTA|EPSILON/g, (spot) =>
      spot === "BETA" ? spot : spot.toLowerCase(),
    );
    check(shown[0]?.trimEnd() === accepted.trimEnd(), "without what is pending", shown[0]);
    check(shown[1]?.trimEnd() === now.trimEnd(), "as it is", shown[1]);
    await page.keyboard.press("Control+F4");

    // A file that was not open: the editor has nothing to undo, the card of the call has.
    await editor.ask("change other.ts");
    await editor.chat().locator(".item", { hasText: "Done with other.ts." }).waitFor();
    check((await editor.onDisk("other.ts")) === after(), "the file is changed on the disk");
    const cards = editor.chat().locator(".item.tool", { hasText: "other.ts" });
    const card = cards.filter({ has: page.locator("button", { hasText: "Undo" }) }).last();
    await editor.shot("5-closed");
    await editor.chat().locator(".item.tool button", { hasText: "Undo" }).last().click();
    await editor.until(
      async () => (await editor.onDisk("other.ts")) === after("epsilon"),
      "the last change of the closed file is taken back",
      () => editor.onDisk("other.ts"),
    );
    await editor.shot("6-undone");
    check((await card.count()) <= 1, "the card has no second undo");
  },
  {
    files: { "main.ts": BEFORE, "other.ts": BEFORE, "tsconfig.json": '{ "include": [] }' },
    scenario: edits("main.ts") + edits("other.ts"),
    settings: { "bowline.session.mode": "acceptEdits", "bowline.session.suggestions": false },
  },
);
