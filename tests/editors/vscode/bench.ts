// Figures of the extension: activation, the first word on the screen, a long session, memory. Not a
// proof: it prints what it measures on this machine (`tests/editors/run vscode bench`).
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";
import { Editor, type Options } from "./kit.ts";

const TURNS = 1000;

{
  const options: Options = { files: { "a.txt": "a\n" } };
  const bare = await memoryOfHost({ ...options, bare: true });
  const editor = await Editor.start(options);
  try {
    await longSession(editor.folder, editor.environment);
    await editor.open();
    await editor.openChat();
    const chat = editor.chat();
    console.log(`activation: ${await activation(editor)}`);
    await editor.openChat();
    await firstWord(editor);

    // The session of 2,000 messages.
    await editor.command("Bowline: Sessions…");
    await editor.page
      .locator(".quick-input-list .monaco-list-row", { hasText: "A long session" })
      .first()
      .click();
    await chat
      .locator(".item", { hasText: `number ${TURNS}` })
      .first()
      .waitFor();
    const list = chat.locator(".transcript");
    console.log(
      `elements in the page with ${2 * TURNS} messages: ${await list.locator(".item").count()}`,
    );
    const input = chat.locator("textarea");
    await input.click();
    const scrolled = list.evaluate(scrollThrough);
    const wanted = "every key that is pressed while it scrolls arrives ".repeat(2);
    const begun = Date.now();
    await editor.page.keyboard.type(wanted);
    const typed = Date.now() - begun;
    const { frames, worst, reached } = await scrolled;
    const got = await input.inputValue();
    console.log(
      `scrolling ${reached} px while typing: ${frames} frames, the longest ${worst.toFixed(0)} ms`,
    );
    console.log(
      `input: ${got.length} of ${wanted.length} keys arrived, ${(typed / wanted.length).toFixed(1)} ms a key`,
    );
    const full = await hostMemory(editor.serverPid);
    console.log(
      `extension host: ${full} MB with the extension and the session, ${bare} MB without the extension`,
    );
  } catch (error) {
    await editor.shot("failed");
    throw error;
  } finally {
    await editor.stop();
  }
}

/** As VS Code itself measured it: loading the code, and running it. */
async function activation(editor: Editor): Promise<string> {
  await editor.command("Developer: Show Running Extensions");
  const row = editor.page
    .locator(".runtime-extensions-editor .extension", { hasText: "Bowline" })
    .first();
  await row.waitFor();
  const time = await row.locator(".activation-time").textContent();
  await editor.page.keyboard.press("Control+F4");
  return time ?? "not told";
}

/** From the moment the server made the event to the frame that shows it. */
async function firstWord(editor: Editor): Promise<void> {
  const chat = editor.chat();
  const figures: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const word = `word${round}`;
    const painted = chat.locator("body").evaluate(
      (_, wanted) =>
        new Promise<number>((resolve) => {
          let at = 0;
          window.addEventListener(
            "message",
            ({ data }: MessageEvent<{ type: string; event?: { type: string; at: number } }>) => {
              if (data.type === "event" && data.event?.type === "message.delta" && at === 0)
                at = data.event.at;
            },
          );
          const look = () => {
            const answers = [...document.querySelectorAll(".item.answer")];
            if (answers.some(({ textContent }) => textContent?.includes(wanted)))
              resolve(Date.now() - at);
            else requestAnimationFrame(look);
          };
          look();
        }),
      word,
    );
    const [figure] = await Promise.all([painted, editor.ask(`say "${word}"`)]);
    figures.push(figure);
  }
  figures.sort((one, other) => one - other);
  console.log(
    `first word painted: median ${figures[4]} ms, worst ${figures.at(-1)} ms after the server sent it`,
  );
}

/** Runs in the page: from the end to the beginning, a little in each frame. */
function scrollThrough(list: Element): Promise<{ frames: number; worst: number; reached: number }> {
  return new Promise((resolve) => {
    const top = list.scrollTop;
    let frames = 0;
    let worst = 0;
    let before = performance.now();
    const step = () => {
      const now = performance.now();
      worst = Math.max(worst, now - before);
      before = now;
      frames += 1;
      list.scrollTop -= 400;
      if (list.scrollTop <= 0 || frames > 600)
        resolve({ frames, worst, reached: Math.round(top - list.scrollTop) });
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

async function memoryOfHost(options: Options): Promise<number> {
  const editor = await Editor.start(options);
  try {
    await editor.page.goto(editor.url());
    await editor.page.locator(".monaco-workbench").waitFor();
    await editor.until(async () => (await hostMemory(editor.serverPid)) > 0, "an extension host");
    // The built-in extensions start meanwhile.
    await editor.page.waitForTimeout(8000);
    return await hostMemory(editor.serverPid);
  } finally {
    await editor.stop();
  }
}

/** The resident memory of the extension host below VS Code's server, in megabytes. */
async function hostMemory(server: number): Promise<number> {
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    if (!command.includes("--type=extensionHost") || !status.includes(`PPid:\t${server}\n`))
      continue;
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }
  return 0;
}

/** Says a thousand things to the rehearsal model, without an editor. */
async function longSession(folder: string, environment: Record<string, string>): Promise<void> {
  const child = spawn(process.env["BOWLINE_BIN"] ?? "", ["serve"], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let buffer = Buffer.alloc(0);
  const waiting: {
    fits: (message: Record<string, unknown>) => boolean;
    resolve: (message: Record<string, unknown>) => void;
  }[] = [];
  child.stdout.on("data", (data: Buffer) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const head = buffer.indexOf("\r\n\r\n");
      const length = Number(
        /Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(0, head)).toString())?.[1] ?? -1,
      );
      if (head < 0 || length < 0 || buffer.length < head + 4 + length) break;
      const message = JSON.parse(buffer.subarray(head + 4, head + 4 + length).toString()) as Record<
        string,
        unknown
      >;
      buffer = buffer.subarray(head + 4 + length);
      const at = waiting.findIndex(({ fits }) => fits(message));
      if (at >= 0) waiting.splice(at, 1)[0]?.resolve(message);
    }
  });
  const wait = (fits: (message: Record<string, unknown>) => boolean) =>
    new Promise<Record<string, unknown>>((resolve) => waiting.push({ fits, resolve }));
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const request = async (id: number, method: string, params: object) => {
    const answer = wait((message) => message["id"] === id && !("method" in message));
    send({ id, method, params });
    return (await answer)["result"] as Record<string, unknown>;
  };
  const capabilities = { experimental: { agent: { version: 1 } } };
  await request(1, "initialize", {
    processId: process.pid,
    capabilities,
    workspaceFolders: [{ uri: `file://${folder}`, name: "project" }],
  });
  send({ method: "initialized", params: {} });
  const { sessionId } = await request(2, "agent/session/new", {
    cwd: folder,
    title: "A long session",
  });
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const ended = wait(
      ({ method, params }) =>
        method === "agent/event" && (params as { type: string }).type === "turn.ended",
    );
    // Short, so that nothing is summed up on the way.
    const text = `say "number ${turn}"`;
    await request(2 + turn, "agent/session/prompt", {
      sessionId,
      content: [{ type: "text", text }],
    });
    await ended;
  }
  await request(2 + TURNS + 1, "shutdown", {});
  send({ method: "exit" });
  await new Promise((resolve) => child.once("exit", resolve));
  console.log(`a session of ${TURNS} turns in ${path.basename(folder)}`);
}
