// What the proofs in VS Code share: a project and a home of their own, VS Code's server with the
// packaged extension, and a browser that looks at it. Waiting goes through Playwright's own waits.
import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { chromium, type Browser, type FrameLocator, type Page } from "playwright-core";

const DEADLINE = 45_000;
const WORKSPACE = "several.code-workspace";

export function check(condition: unknown, what: string, seen?: unknown): asserts condition {
  if (!condition)
    throw new Error(seen === undefined ? what : `${what}: ${JSON.stringify(seen, null, 1)}`);
}

function variable(name: string): string {
  const value = process.env[name];
  check(value, `${name} is set by tests/editors/run`);
  return value;
}

/** Runs the proof, shows what went wrong, and ends everything it started. */
export async function proof(
  body: (editor: Editor) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const editor = await Editor.start(options);
  let failed = false;
  try {
    await body(editor);
  } catch (error) {
    failed = true;
    await editor.shot("failed").catch(() => undefined);
    console.error(editor.report());
    console.error(error);
  }
  await editor.stop();
  process.exit(failed ? 1 : 0);
}

export interface Options {
  /** File name → text. */
  files?: Record<string, string>;
  /** Folders of the project that are opened side by side, instead of the project itself. */
  roots?: string[];
  settings?: Record<string, unknown>;
  /** A script of the model, as in fixtures/model; without it the rehearsal model answers. */
  scenario?: string;
  /** Gives the program to start instead of the server, for who wants to listen in. */
  server?: (folder: string, program: string) => Promise<string>;
  /** Without the extension, to compare. */
  bare?: boolean;
  /** For the tests of the extension host: VS Code reports to the page, and shows no notifications. */
  driver?: boolean;
}

export class Editor {
  readonly folder: string;
  /** What the address of the window says is open. */
  private readonly opened: string;
  private readonly base: string;
  private readonly port: number;
  private readonly server: ChildProcess;
  private readonly others: ChildProcess[];
  private readonly browser: Browser;
  readonly page: Page;
  /** What the server is started with, for whoever starts one beside it. */
  readonly environment: Record<string, string>;
  private log = "";
  private readonly name = path.basename(process.argv[1] ?? "proof", ".ts");

  private constructor(
    parts: Pick<Editor, "folder" | "page" | "environment"> & {
      opened: string;
      base: string;
      port: number;
      server: ChildProcess;
      others: ChildProcess[];
      browser: Browser;
    },
  ) {
    this.folder = parts.folder;
    this.page = parts.page;
    this.environment = parts.environment;
    this.opened = parts.opened;
    this.base = parts.base;
    this.port = parts.port;
    this.server = parts.server;
    this.others = parts.others;
    this.browser = parts.browser;
    this.page.on("console", (message) => {
      // Without its native parts VS Code keeps no log files, and says so again and again.
      const text = message.text();
      if (message.type() === "error" && !text.includes("bindings file"))
        this.log += `[page] ${text}\n`;
    });
  }

  static async start(options: Options): Promise<Editor> {
    const base = await mkdtemp(path.join(tmpdir(), "bowline-vscode-"));
    const folder = path.join(base, "project");
    for (const name of ["project", "home", "data/data/User", "extensions", "profile"]) {
      await mkdir(path.join(base, name), { recursive: true });
    }
    for (const [name, text] of Object.entries(options.files ?? {})) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    if (options.roots) {
      const folders = options.roots.map((name) => ({ path: `project/${name}` }));
      await writeFile(path.join(base, WORKSPACE), JSON.stringify({ folders }));
    }
    await cp(variable("PEER"), path.join(base, "extensions/bowline-tests.peer-0.0.1"), {
      recursive: true,
    });
    const others: ChildProcess[] = [];
    const environment: Record<string, string> = { BOWLINE_HOME: path.join(base, "home/bowline") };
    if (options.scenario !== undefined) {
      const script = path.join(base, "scenario.toml");
      await writeFile(script, options.scenario);
      const model = spawn(variable("BOWLINE_BIN"), ["model-server", "--scenario", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      others.push(model);
      environment["ANTHROPIC_BASE_URL"] = await firstLine(model);
      environment["ANTHROPIC_API_KEY"] = "key-for-tests";
    }
    const program = variable("BOWLINE_BIN");
    const settings = {
      "files.autoSave": "off",
      "workbench.startupEditor": "none",
      "workbench.secondarySideBar.defaultVisibility": "hidden",
      "chat.commandCenter.enabled": false,
      "editor.minimap.enabled": false,
      "editor.autoClosingBrackets": "never",
      "editor.autoClosingQuotes": "never",
      "extensions.ignoreRecommendations": true,
      "bowline.server.path": (await options.server?.(folder, program)) ?? program,
      "bowline.server.environment": environment,
      ...options.settings,
    };
    await writeFile(path.join(base, "data/data/User/settings.json"), JSON.stringify(settings));
    const port = await freePort();
    const server = await startServer(base, port, options);
    const browser = await chromium.launch({
      executablePath: variable("CHROMIUM"),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
      env: { HOME: path.join(base, "home"), PATH: variable("PATH") },
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    page.setDefaultTimeout(DEADLINE);
    const opened = options.roots
      ? `workspace=${encodeURIComponent(path.join(base, WORKSPACE))}`
      : `folder=${encodeURIComponent(folder)}`;
    return new Editor({ folder, opened, page, environment, base, port, server, others, browser });
  }

  /** The process of VS Code's server, for whoever looks at its children. */
  get serverPid(): number {
    return this.server.pid ?? 0;
  }

  url(more = ""): string {
    return `http://127.0.0.1:${this.port}/?${this.opened}${more}`;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    await this.page.goto(this.url());
    await this.page.locator(".monaco-workbench").waitFor();
    // The extension is there when its status is.
    await this.page.locator("#bowline\\.bowline\\.bowline").waitFor();
  }

  /** Runs a command by its name in the palette. */
  async command(title: string): Promise<void> {
    await this.pick("F1", `>${title}`, title);
  }

  async openFile(name: string): Promise<void> {
    await this.pick("Control+P", name, name);
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
  }

  /** Opens a list by its key and takes the entry. While it starts, the editor closes such lists again. */
  private async pick(key: string, typed: string, entry: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: entry }).first();
    const end = Date.now() + DEADLINE;
    for (;;) {
      try {
        await this.page.keyboard.press(key);
        await input.fill(typed, { timeout: 4000 });
        // The best match of the editor need not be the one that is meant.
        await row.click({ timeout: 10_000 });
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Puts the caret at the start of a line, counted from one. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press("Control+G");
    await this.page.locator(".quick-input-widget input.input").fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** The lines of the active editor, as they are on the screen. */
  async lines(): Promise<string[]> {
    return this.page.evaluate(() => {
      const editor = document.querySelector(
        ".editor-group-container.active .editor-instance .view-lines",
      );
      const lines = [...(editor?.querySelectorAll<HTMLElement>(".view-line") ?? [])];
      lines.sort(
        (one, other) => Number.parseFloat(one.style.top) - Number.parseFloat(other.style.top),
      );
      return lines.map((line) => (line.textContent ?? "").replaceAll("\u00a0", " "));
    });
  }

  async text(): Promise<string> {
    return (await this.lines()).join("\n");
  }

  /** Waits until the active editor shows exactly this, or what the function wants. */
  async untilText(wanted: string | ((text: string) => boolean), what: string): Promise<void> {
    const fits =
      typeof wanted === "string" ? (text: string) => text.trimEnd() === wanted.trimEnd() : wanted;
    await this.until(
      async () => fits(await this.text()),
      what,
      () => this.text(),
    );
  }

  async until(
    condition: () => Promise<boolean>,
    what: string,
    seen?: () => Promise<unknown>,
  ): Promise<void> {
    const end = Date.now() + DEADLINE;
    while (!(await condition())) {
      check(Date.now() < end, `never came true: ${what}`, await seen?.());
      await this.page.waitForTimeout(50);
    }
  }

  /** The chat's page. */
  chat(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  async openChat(): Promise<void> {
    await this.command("Bowline: Open Chat");
    await this.chat().locator("textarea").waitFor();
  }

  async ask(text: string): Promise<void> {
    const input = this.chat().locator("textarea");
    await input.click();
    await input.fill(text);
    await input.press("Enter");
  }

  /** Chooses another colour theme. */
  async theme(name: string): Promise<void> {
    await this.command("Preferences: Color Theme");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
    await this.page.locator(".quick-input-widget input.input").fill(name);
    await row.click();
  }

  onDisk(name: string): Promise<string> {
    return readFile(path.join(this.folder, name), "utf8");
  }

  /** Kept in the cache for people to look at. */
  async shot(name: string): Promise<void> {
    const folder = variable("VSCODE_SHOTS");
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: path.join(folder, `${this.name}-${name}.png`) });
  }

  report(): string {
    return this.log.slice(-4000);
  }

  async stop(): Promise<void> {
    await this.browser.close().catch(() => undefined);
    for (const child of [...this.others, this.server]) await ended(child);
    await rm(this.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function startServer(base: string, port: number, options: Options): Promise<ChildProcess> {
  const node = variable("NODE24");
  const main = variable("CODE_SERVER");
  const folders = [
    "--server-data-dir",
    path.join(base, "data"),
    "--extensions-dir",
    path.join(base, "extensions"),
  ];
  const env = { HOME: path.join(base, "home"), PATH: variable("PATH"), LANG: "C.UTF-8" };
  if (!options.bare) await install(node, [main, ...folders], env);
  const child = spawn(
    node,
    [
      main,
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--without-connection-token",
      "--accept-server-license-terms",
      "--telemetry-level",
      "off",
      ...folders,
      "--disable-workspace-trust",
      "--reconnection-grace-time",
      "2",
      ...(options.driver ? ["--enable-smoke-test-driver"] : []),
    ],
    { env, stdio: "ignore" },
  );
  const end = Date.now() + DEADLINE;
  while (
    !(await fetch(`http://127.0.0.1:${port}/version`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    check(Date.now() < end && child.exitCode === null, "VS Code's server answers");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

async function install(node: string, command: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(node, [...command, "--install-extension", variable("VSIX")], {
    env,
    stdio: "ignore",
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  check(code === 0, "the package is installed", code);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout?.on("data", (data: Buffer) => {
      seen += data.toString();
      const end = seen.indexOf("\n");
      if (end >= 0) resolve(seen.slice(0, end).trim());
    });
    child.once("exit", () => reject(new Error("The model server ended.")));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await gone;
  clearTimeout(timer);
}
