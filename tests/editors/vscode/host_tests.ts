// In the extension host: edits, questions, diffs, review, saving, inline edits, sessions, following and restarts
import { check, proof } from "./kit.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

await proof(
  async (editor) => {
    const { page, address } = editor;
    const said: string[] = [];
    let finish: (code: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => (finish = resolve));
    await page.exposeFunction("codeAutomationLog", (_: string, lines: unknown[]) =>
      said.push(lines.join(" ")),
    );
    await page.exposeFunction("codeAutomationExit", (code: number) => finish(code));
    const extension = `vscode-remote://${address}${process.env["VSCODE_BUILD"] ?? ""}/clients/vscode`;
    const payload = [
      ["extensionDevelopmentPath", extension],
      ["extensionTestsPath", `${extension}/dist/host-tests.js`],
    ];
    await page.goto(editor.url(`&payload=${encodeURIComponent(JSON.stringify(payload))}`));
    const code = await Promise.race([ended, page.waitForTimeout(200_000).then(() => "time is up")]);
    const told = said.filter((line) => /(^| )(ok|FAILED|figure) /.test(line));
    console.log(told.join("\n"));
    check(code === 0, "the tests in the extension host pass", {
      code,
      said: said.filter((line) => !line.includes("bindings")).slice(-12),
    });
  },
  {
    driver: true,
    files: {
      "apply.txt": "one\nmore\n",
      "deny.txt": "one\n",
      "hunks.txt": LINES,
      "saved.txt": "one\n",
      "inline.txt": "one\nmore\n",
      "shown.txt": "one\n",
      "followed.txt": "one\n",
      "timed.txt": "one\n",
      "private.key": "the-private-words\n",
    },
  },
);
