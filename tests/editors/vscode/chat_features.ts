// Thinking, Markdown, live output, todos, other servers' answers, completion, chips, pictures, queue, questions and notifications
import { check, proof } from "./kit.ts";

const MAIN = `export function area(width: number, height: number): number {
  return width * height;
}
const wrong: string = area(2, 3);
`;

const SCENARIO = String.raw`
[[answer]]
when = "show me"
step = [
  { thinking = "The user wants to see things.", signature = "sig" },
  { text = """
## What there is

Some **bold** words, a [page](https://example.com/x), a [trap](javascript:alert(1)), <img src=x onerror=alert(1)> and code:

~~~ts
const answer: number = 42;
~~~

| name | value |
|---|---|
| a | 1 |
""", deltas = 12 },
  { tool = "TodoWrite", input = { todos = [
    { content = "Look around", activeForm = "Looking around", status = "completed" },
    { content = "Run it", activeForm = "Running it", status = "in_progress" },
  ] } },
  { tool = "LanguageServer", input = { operation = "diagnostics", file_path = "{{cwd}}/main.ts" } },
  { tool = "LanguageServer", input = { operation = "hover", file_path = "{{cwd}}/main.ts", line = 4, symbol = "area" } },
  { tool = "LanguageServer", input = { operation = "references", file_path = "{{cwd}}/main.ts", line = 1, symbol = "area" } },
  { tool = "Bash", input = { command = "for i in 1 2 3; do echo step $i; sleep 0.3; done", description = "Count" } },
]

# A turn that waits for an answer is a turn that runs.
[[answer]]
when = "step 3"
step = [{ tool = "Write", input = { file_path = "{{cwd}}/pause.txt", content = "x" } }]

[[answer]]
when = "pause.txt"
step = [{ text = "That was it." }]

[[answer]]
when = "the queued one"
step = [{ text = "The queue was worked off." }]

[[answer]]
when = "look at this"
step = [{ text = "I see what you selected." }]

[[answer]]
when = "which one"
step = [{ tool = "AskUserQuestion", input = { questions = [
  { question = "Which colour shall it be?", header = "Colour", options = [
    { label = "Green", description = "like the sea" }, { label = "Red", description = "like a buoy" } ] },
] } }]

[[answer]]
when = "Red"
step = [{ tool = "Write", input = { file_path = "{{cwd}}/buoy.txt", content = "x" } }]

[[answer]]
when = "a word in between"
step = [{ text = "Heard in between." }]

[[answer]]
when = "touch it"
step = [{ tool = "Bash", input = { command = "touch wrong.txt", description = "Touch" } }]

[[answer]]
when = "in the dark"
step = [{ tool = "Write", input = { file_path = "{{cwd}}/made-here.txt", content = "x" } }]

[[answer]]
forever = true
step = [{ text = "Done." }]
`;

/** A picture of one red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

await proof(
  async (editor) => {
    const { page } = editor;
    await editor.open();
    await editor.openFile("main.ts");
    await page.locator(".squiggly-error").first().waitFor();
    await editor.openChat();
    const chat = editor.chat();

    await editor.ask("show me");
    // Output is there while the command still runs.
    const bash = chat.locator("details.tool", { hasText: "Bash" });
    await bash.locator("pre", { hasText: "step 1" }).waitFor();

    // While the turn runs: one more prompt waits in the queue.
    const allow = chat.locator(".permission button.primary");
    await allow.waitFor();
    const input = chat.locator("textarea");
    await input.fill("the queued one");
    await input.press("Alt+Enter");
    await chat.locator(".panel", { hasText: "Waiting prompts 1" }).waitFor();
    await editor.shot("1-running");
    await allow.click();
    await chat.locator(".item.answer", { hasText: "The queue was worked off." }).waitFor();

    // What the model wrote is shown as what it is, and hostile markup as text.
    const answer = chat.locator(".item.answer").first();
    check((await answer.locator("h4").textContent()) === "What there is", "a heading");
    check((await answer.locator("a").count()) === 1, "only the page is a link");
    check((await answer.locator("img").count()) === 0, "no picture is loaded");
    check(((await answer.textContent()) ?? "").includes("<img src=x"), "markup is text");
    check((await answer.locator("td").first().textContent()) === "a", "a table");
    check(
      await chat
        .locator("details.thought")
        .first()
        .evaluate((fold: HTMLDetailsElement) => !fold.open),
      "thinking is folded",
    );
    await chat.locator(".todos .in_progress", { hasText: "Running it" }).waitFor();

    // TypeScript's own answers, through the editor.
    const told = async (title: string) => {
      const card = chat.locator("details.tool", { hasText: title });
      await card.locator("summary").click();
      return (await card.locator("pre").textContent()) ?? "";
    };
    check(
      (await told("List the problems")).includes("not assignable"),
      "the problems of another server",
    );
    check((await told("Look up area")).includes("width: number"), "its hover");
    check((await told("Find the uses")).includes("main.ts"), "its references");
    await editor.shot("2-shown");

    // Code is copied, and applied where the caret was.
    await answer.locator("button", { hasText: "Copy" }).first().click();
    await editor.until(
      async () =>
        (await page.evaluate(() => navigator.clipboard.readText())).includes("answer: number = 42"),
      "the code is on the clipboard",
    );

    await page.locator(".editor-instance .view-line").first().click();
    await editor.goTo(5);
    await answer.locator("button", { hasText: "Apply" }).first().click();
    await editor.untilText((text) => text.endsWith("const answer: number = 42;"), "it is applied");
    await page.locator(".editor-instance .view-line").first().click();
    await page.keyboard.press("Control+Z");
    await editor.untilText(MAIN, "as one step of undo");

    // Completion.
    await input.fill("look at @ma");
    const proposals = chat.locator("[role=option]");
    await proposals.first().waitFor();
    await editor.shot("3-completion");
    await input.press("Tab");
    check(
      (await input.inputValue()).startsWith("look at @main.ts"),
      "a file is completed",
      await input.inputValue(),
    );
    await input.fill("/");
    await proposals.filter({ hasText: "/compact" }).first().waitFor();
    await input.press("Escape");

    // The selection goes along when the chip says so, and the chat shows that it did.
    await page.locator(".editor-instance .view-line").first().click();
    await page.keyboard.press("Control+L");
    const chip = chat.locator(".chip", { hasText: "Selection" });
    await chip.waitFor();
    check((await chip.getAttribute("aria-checked")) === "false", "nothing goes along unasked");
    await chip.click();
    await chat.locator(".chip.on", { hasText: "Selection" }).waitFor();
    await input.fill("look at this");
    await input.evaluate((area, data) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], "red.png", { type: "image/png" }));
      area.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }),
      );
    }, PIXEL);
    await chat.locator(".chip", { hasText: "red.png" }).waitFor();
    // Another one is dropped on the page, and taken out again.
    await chat.locator(".transcript").evaluate((area, data) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
      area.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, PIXEL);
    const dropped = chat.locator(".chip", { hasText: "dropped.png" });
    await dropped.waitFor();
    await editor.shot("4-chips");
    await dropped.click();
    await dropped.waitFor({ state: "detached" });
    await input.press("Enter");
    await chat.locator(".item.answer", { hasText: "I see what you selected." }).waitFor();
    const prompt = chat.locator(".item.user", { hasText: "look at this" });
    await prompt.locator(".chip", { hasText: "picture" }).waitFor();
    await prompt.locator(".chip", { hasText: "main.ts, lines 1–2" }).waitFor();
    await editor.shot("5-attached");

    // A question of the agent, answered with the keyboard alone; and a word to a turn that runs.
    await input.fill("which one");
    await input.press("Enter");
    const question = chat.locator(".ask");
    await question.waitFor();
    await editor.shot("6-question");
    await question.locator("input[type=radio]").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    await allow.waitFor();
    await input.fill("a word in between");
    await input.press("Enter");
    await editor.until(async () => (await input.inputValue()) === "", "the word is accepted");
    await allow.click();
    await chat.locator(".item.answer", { hasText: "Heard in between." }).waitFor();

    // A command is changed before it is allowed. (The rule that it is asked about comes with the server's
    // arguments, beside what the extension itself tells it.)
    await input.fill("touch it");
    await input.press("Enter");
    const change = chat.locator(".permission details", { hasText: "Change the command first" });
    await change.locator("summary").click();
    await change.locator("textarea").fill("touch right.txt");
    await editor.shot("7-changed-command");
    await change.locator("button").click();
    await chat.locator(".permission").waitFor({ state: "detached" });
    await editor.until(
      () =>
        editor.onDisk("right.txt").then(
          () => true,
          () => false,
        ),
      "the changed command ran",
    );

    // With the chat out of sight a question is a notification, with the scopes one step away.
    await input.fill("in the dark");
    await input.press("Enter");
    await page.keyboard.press("Control+Shift+E");
    const toast = page.locator(".notification-toast", { hasText: "made-here.txt" });
    await toast.waitFor();
    await editor.shot("8-notification");
    await toast.locator(".monaco-button", { hasText: "More" }).click();
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: "this once" })
      .first()
      .waitFor();
    await editor.shot("9-scopes");
    await page.keyboard.press("Enter");
    await page
      .locator(".explorer-folders-view .monaco-list-row", { hasText: "made-here.txt" })
      .waitFor();
  },
  {
    scenario: SCENARIO,
    files: { "main.ts": MAIN, "tsconfig.json": "{}" },
    settings: {
      "bowline.server.arguments": ["--settings", '{"permissions":{"ask":["Bash(touch *)"]}}'],
    },
  },
);
