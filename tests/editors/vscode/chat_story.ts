// A mistake is mended, a change is allowed while the user types, one hunk is rejected, undone, rewound, and resumed
import { check, proof } from "./kit.ts";

const MAIN = `const count = 1;
console.log(coutn);

export function greet(name: string): string {
  return "hello " + name;
}

export function leave(name: string): string {
  return "farewell " + name;
}
`;

await proof(
  async (editor) => {
    const { page } = editor;
    await editor.open();
    await editor.openFile("main.ts");

    // TypeScript's own language server finds the mistake; ours offers to mend it.
    await page.locator(".squiggly-error").first().waitFor();
    await editor.goTo(2, 14);
    await page.keyboard.press("Control+.");
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: "Bowline" }).first();
    await fix.waitFor();
    await editor.shot("1-quick-fix");
    await fix.click();
    await editor.untilText((text) => text.includes("console.log(count);"), "the mistake is mended");
    await page.locator(".codelens-decoration", { hasText: "Accept" }).first().waitFor();
    await editor.shot("2-fixed");
    await editor.goTo(2);
    await page.keyboard.press("Control+Alt+Enter");
    await page.locator(".codelens-decoration").first().waitFor({ state: "detached" });

    // A prompt in the chat: the question comes with the change, and the text is still as it was.
    await editor.openChat();
    const chat = editor.chat();
    await editor.ask(
      'replace "hello" with "good day" in main.ts then replace "farewell" with "good night" in main.ts',
    );
    const card = chat.locator(".permission");
    await card.locator(".diff-line.added").waitFor();
    // The editor's own diff is open too, and the keyboard is still in the chat.
    const proposal = page.locator(".tab", { hasText: "Edit main.ts" });
    await proposal.waitFor();
    const focus = await page.evaluate(() => document.activeElement?.className ?? "");
    check(focus.includes("webview"), "the keyboard is where it was", focus);
    await editor.shot("3-permission");

    // The user types meanwhile, in the very file, where nothing has happened before the answer.
    await page.locator(".tab", { hasNotText: "Edit", hasText: "main.ts" }).click();
    check(!(await editor.text()).includes("good day"), "nothing happens before the answer");
    await editor.goTo(1);
    await page.keyboard.type("let typed = 0;\n");
    await card.locator("button.primary").click();
    await card.locator(".diff-line.added", { hasText: "good night" }).waitFor();
    await card.locator("button.primary").click();
    const wanted = MAIN.replace("coutn", "count")
      .replace("hello", "good day")
      .replace("farewell", "good night");
    await editor.untilText(
      `let typed = 0;\n${wanted}`,
      "both changes are in the buffer, and what was typed",
    );
    await proposal.waitFor({ state: "detached" });
    check((await editor.onDisk("main.ts")) === MAIN, "the disk is untouched");
    await chat.locator(".review", { hasText: "2 changes in main.ts" }).waitFor();
    await editor.shot("4-changed");

    // One of the two is rejected by key.
    await editor.goTo(10);
    await page.keyboard.press("Control+Alt+Backspace");
    const rejected = wanted.replace("good night", "farewell");
    await editor.untilText(`let typed = 0;\n${rejected}`, "one change is taken back");
    await chat.locator(".review", { hasText: "1 change in main.ts" }).waitFor();
    await editor.shot("5-rejected");

    // Undo is the editor's own: the rejection is one step.
    await page.keyboard.press("Control+Z");
    await editor.untilText(`let typed = 0;\n${wanted}`, "undo brings the change back");
    await editor.shot("6-undone");

    // Back to before the prompt; what the user typed stays.
    await chat.locator(".item.user").first().hover();
    await chat.locator(".item.user button", { hasText: "Rewind" }).first().click();
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: "Conversation and files" })
      .waitFor();
    await editor.shot("7-rewind");
    await page.keyboard.press("Enter");
    await editor.untilText(
      `let typed = 0;\n${MAIN.replace("coutn", "count")}`,
      "the files are back",
    );
    await chat.locator(".item.user").first().waitFor({ state: "detached" });
    await editor.shot("8-rewound");

    // Forward again, and then the window is loaded anew: the session is there.
    await chat.locator("button", { hasText: "Undo the rewind" }).click();
    await chat.locator(".item.user", { hasText: "farewell" }).waitFor();
    await editor.untilText(`let typed = 0;\n${wanted}`, "both changes are back");
    await page.locator(".editor-instance .view-line").first().click();
    await page.keyboard.press("Control+S");
    await page.reload();
    await page.locator("#bowline\\.bowline\\.bowline").waitFor();
    await editor.chat().locator(".item.user", { hasText: "farewell" }).waitFor();
    await editor.ask('say "we meet again"');
    await editor.chat().locator(".item.answer", { hasText: "we meet again" }).waitFor();
    await editor.shot("9-resumed");
  },
  { files: { "main.ts": MAIN, "tsconfig.json": "{}" } },
);
