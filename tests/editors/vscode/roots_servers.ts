// Two folders in one window, and two real language servers: what they find is mended, in either folder
import { check, proof } from "./kit.ts";

const PYTHON = `def area(width: int, height: int) -> int:
    return width * height


total: str = area(2, 3)
`;

const C = `int twice(int number) { return number + number; }

int main(void) { return twise(21); }
`;

const SCENARIO = String.raw`
[[answer]]
when = "twise"
step = [{ text = "int main(void) { return twice(21); }" }]

[[answer]]
when = "look around"
step = [
  { tool = "LanguageServer", input = { operation = "diagnostics", file_path = "{{cwd}}/../scripts/area.py" } },
  { tool = "Read", input = { file_path = "{{cwd}}/../scripts/area.py" } },
]

[[answer]]
when = "def area"
step = [{ tool = "Edit", input = { file_path = "{{cwd}}/../scripts/area.py", old_string = "total: str", new_string = "total: int" } }]

[[answer]]
forever = true
step = [{ text = "Both folders are in order." }]
`;

await proof(
  async (editor) => {
    const { page } = editor;
    await editor.open();

    // clangd finds a mistake in the one folder; Bowline mends it by a quick fix.
    await editor.openFile("main.c");
    await page.locator(".squiggly-error").first().waitFor();
    await editor.goTo(3, 26);
    await page.keyboard.press("Control+.");
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: "Bowline" }).first();
    await fix.waitFor();
    await editor.shot("1-clangd");
    await fix.click();
    await editor.untilText(
      (text) => text.includes("return twice(21);"),
      "clangd's finding is mended",
    );
    await page.locator(".squiggly-error").first().waitFor({ state: "detached" });

    // basedpyright finds one in the other folder. The session works in the folder of the file that was
    // looked at when it began, and reaches the other one without a question.
    await editor.openFile("area.py");
    await page.locator(".squiggly-error").first().waitFor();
    await editor.openFile("main.c");
    await editor.openChat();
    const chat = editor.chat();
    await editor.command("Bowline: New Session");
    await editor.ask("look around");
    const found = chat.locator("details.tool", { hasText: "List the problems" });
    await found.locator("summary").click();
    check(
      ((await found.locator("pre").textContent()) ?? "").includes("basedpyright"),
      "the agent knows what basedpyright found in the other folder",
      await found.locator("pre").textContent(),
    );
    await chat.locator(".permission", { hasText: "area.py" }).waitFor();
    await editor.shot("2-other-folder");
    await chat.locator(".permission button.primary").click();
    await chat.locator(".item.answer", { hasText: "Both folders are in order." }).waitFor();
    await editor.openFile("area.py");
    await editor.untilText((text) => text.includes("total: int"), "the other folder's buffer");
    await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    await editor.shot("3-mended");

    // Files of both folders are proposed.
    const input = chat.locator("textarea");
    await input.fill("@area");
    await chat.locator("[role=option]", { hasText: "area.py" }).first().waitFor();
    await input.fill("@main");
    await chat.locator("[role=option]", { hasText: "main.c" }).first().waitFor();
  },
  {
    scenario: SCENARIO,
    roots: ["engine", "scripts"],
    files: { "engine/main.c": C, "scripts/area.py": PYTHON },
    settings: {
      "peer.servers": [
        { language: "c", command: process.env["CLANGD"], args: [] },
        { language: "python", command: process.env["BASEDPYRIGHT"], args: ["--stdio"] },
      ],
    },
  },
);
