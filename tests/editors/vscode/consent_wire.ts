// What leaves the editor: nothing that is excluded, no selection and no open file unless the user says so
import { chmod, readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { check, proof } from "./kit.ts";

await proof(
  async (editor) => {
    const { page, folder } = editor;
    // Everything that the extension says to the server is written down on the way.
    const log = path.join(folder, "..", "wire.log");
    const sent = () => readFile(log, "utf8").catch(() => "");
    await editor.open();
    await editor.openFile("secret.env");
    await page.locator(".view-line", { hasText: "TOP" }).first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("TOKEN=another-secret-7121");
    await editor.openFile("notes.md");
    await editor.until(async () => (await sent()).includes("plain-note-1408"), "an open file of the folder is kept in step");
    await editor.openChat();
    const chat = editor.chat();
    await editor.ask('say "first"');
    await chat.locator(".item.answer", { hasText: "first" }).waitFor();

    // The excluded file offers no chip and no edit.
    await page.locator(".tab", { hasText: "secret.env" }).click();
    await page.locator(".view-line", { hasText: "TOKEN" }).first().click();
    await page.keyboard.press("Control+A");
    await chat.locator(".chip").first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+I");
    await page.locator(".notification-toast", { hasText: "not excluded" }).waitFor();
    await editor.ask('say "second"');
    await chat.locator(".item.answer", { hasText: "second" }).waitFor();
    const before = await sent();
    for (const secret of ["top-secret-4711", "another-secret-7121", "secret.env"]) {
      check(!before.includes(secret), `${secret} never left`);
    }
    check(!before.includes('"type":"selection"') && !before.includes('"type":"file"'), "nothing was attached");
    check(!before.includes("agent/editor/focus"), "nobody was told what the user looks at");

    // With the switch on, the selection goes along, and only with that prompt.
    await page.locator(".tab", { hasText: "notes.md" }).click();
    await page.locator(".view-line", { hasText: "plain-note" }).first().click();
    await page.keyboard.press("Control+A");
    await chat.locator(".chip", { hasText: "Selection" }).click();
    await chat.locator(".chip.on", { hasText: "Selection" }).waitFor();
    await editor.shot("chips");
    await editor.ask('say "third"');
    await chat.locator(".item.answer", { hasText: "third" }).waitFor();
    check((await sent()).split('"type":"selection"').length === 2, "it went along once");
    await editor.ask('say "fourth"');
    await chat.locator(".item.answer", { hasText: "fourth" }).waitFor();
    check((await sent()).split('"type":"selection"').length === 2, "and not again");
  },
  {
    files: { "secret.env": "TOP=top-secret-4711\n", "notes.md": "plain-note-1408\n" },
    settings: { "bowline.context.exclude": ["*.env"] },
    async server(folder, program) {
      const script = path.join(folder, "..", "tapped");
      const log = path.join(folder, "..", "wire.log");
      await writeFile(script, `#!/bin/sh\ntee -a '${log}' | exec '${program}' "$@"\n`);
      await chmod(script, 0o755);
      return script;
    },
  },
);
