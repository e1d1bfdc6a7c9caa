// An inline edit: the instruction, the preview while it is written, the landing, and the native diff of a proposal
import { check, proof } from "./kit.ts";

const MAIN = `def area(width, height):
    return width * height


def volume(width, height, depth):
    return width * height * depth
`;

const SCENARIO = String.raw`
[[answer]]
when = "add types"
step = [
  { text = "def area(width: float, height: float) -> float:\n" },
  { delay_ms = 1500 },
  { text = "    return width * height" },
  { delay_ms = 3000 },
]

[[answer]]
when = "please document"
step = [{ tool = "Read", input = { file_path = "{{cwd}}/shapes.py" } }]

[[answer]]
when = "def volume"
step = [{ tool = "Edit", input = { file_path = "{{cwd}}/shapes.py", old_string = "def volume(", new_string = "# How much fits in.\ndef volume(" } }]

[[answer]]
forever = true
step = [{ text = "Done." }]
`;

await proof(
  async (editor) => {
    const { page } = editor;
    await editor.open();
    await editor.openFile("shapes.py");
    await editor.goTo(1);
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Control+I");
    const input = page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill("add types");
    await page.keyboard.press("Enter");

    // The new text stands beside the old one while the model writes; the buffer is as it was.
    const beside = () =>
      page.evaluate(() => {
        const spans = [...document.querySelectorAll(".view-line span")];
        return spans.map((span) => getComputedStyle(span, "::after").content).join("");
      });
    await editor.until(
      async () => (await beside()).includes("→ def area(width: float"),
      "the preview",
      beside,
    );
    check(!(await editor.text()).includes("float"), "the buffer is as it was");
    await editor.shot("1-preview");
    await editor.untilText(
      (text) => text.includes("def area(width: float, height: float) -> float:"),
      "it lands",
    );
    await page.locator(".codelens-decoration", { hasText: "Accept" }).first().waitFor();
    await editor.shot("2-landed");
    await editor.command("Bowline: Reject the Last Inline Edit");
    await editor.untilText(MAIN, "it is taken back");

    // A proposal in the native diff editor; the keyboard stays in the text.
    await editor.openChat();
    const chat = editor.chat();
    await editor.ask("please document");
    await chat.locator(".permission").waitFor();
    await page.locator(".tab", { hasText: "Edit shapes.py" }).waitFor();
    await page.locator(".diff-editor, .monaco-diff-editor").first().waitFor();
    const focus = await page.evaluate(() => document.activeElement?.className ?? "");
    check(focus.includes("webview"), "the focus is where it was", focus);
    await editor.shot("3-diff-editor");
    await editor.command("Bowline: Allow Once What Is Asked");
    await chat.locator(".item.answer", { hasText: "Done." }).waitFor();
    await page.locator(".tab", { hasText: "Edit shapes.py" }).waitFor({ state: "detached" });
    await editor.untilText((text) => text.includes("# How much fits in."), "the change is there");

    // The list of sessions.
    await editor.command("Bowline: Sessions…");
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: "messages" })
      .first()
      .waitFor();
    await editor.shot("4-sessions");
    await page.keyboard.press("Escape");
  },
  {
    scenario: SCENARIO,
    files: { "shapes.py": MAIN },
  },
);
