// The language server's life, and a typed way to talk to it. There is one for each window; it runs
// where the files are, and is started again when it ends unexpectedly.
import { spawn, type ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import {
  LanguageClient,
  State,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import { serverArguments } from "./arguments.ts";
import { findBinary } from "./binary.ts";
import { mayShare } from "./consent.ts";
import { settings } from "./settings.ts";
import type {
  ClientCapabilities,
  Notification,
  Params,
  Request,
  Result,
  ServerCapabilities,
  ServerNotification,
  ServerRequest,
} from "./wire.ts";

export type Connection =
  | { status: "starting" }
  | { status: "running" }
  | { status: "stopped"; problem: string };

/** What this client can do, as the protocol's negotiation names it. */
const capabilities = (): ClientCapabilities => ({
  // A guess at the next prompt is a request to the model, so only who wants it pays for it.
  suggestion: settings().suggestions,
  version: 1,
  permission: true,
  ask: true,
  diff: true,
  editor: {
    apply: true,
    save: true,
    reveal: true,
    diagnostics: true,
    focus: true,
    text: true,
    languageServer: true,
  },
});

type Handler = (params: unknown, token: vscode.CancellationToken) => unknown;

/** What is started, and how. */
interface Launch {
  program: string;
  all: string[];
  cwd: string | undefined;
  env: NodeJS.ProcessEnv;
}

export class Server implements vscode.Disposable {
  private client: LanguageClient;
  private readonly changed = new vscode.EventEmitter<Connection>();
  readonly onDidChange = this.changed.event;
  private state: Connection = { status: "starting" };
  private readonly handlers = new Map<string, Handler>();
  private readonly heard = new Map<string, vscode.EventEmitter<unknown>>();

  constructor(
    private readonly extensionFolder: string,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.client = this.create();
  }

  get connection(): Connection {
    return this.state;
  }

  /** What the server said about itself in the answer to `initialize`. */
  get offer(): ServerCapabilities | undefined {
    const experimental: unknown = this.client.initializeResult?.capabilities.experimental;
    return (experimental as { agent?: ServerCapabilities } | undefined)?.agent;
  }

  /** Starts it, or starts it anew. */
  async start(): Promise<void> {
    this.set({ status: "starting" });
    try {
      // First, because a client whose start failed can never be started again.
      await this.launch();
      if (this.client.state === State.StartFailed) await this.replace();
      if (this.client.state === State.Running) await this.client.restart();
      else await this.client.start();
    } catch (error) {
      this.fail(error);
    }
  }

  showLog(): void {
    this.output.show(true);
  }

  async request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.client.sendRequest<Result<M>>(method, params);
  }

  notify<M extends Notification>(method: M, params: Params<M>): void {
    if (this.state.status !== "running") return;
    // A notification that cannot be sent has nobody to be told: the connection is gone.
    this.client.sendNotification(method, params).catch(() => undefined);
  }

  handle<M extends ServerRequest>(
    method: M,
    handler: (params: Params<M>, token: vscode.CancellationToken) => Promise<Result<M>> | Result<M>,
  ): vscode.Disposable {
    this.handlers.set(method, handler as Handler);
    return this.client.onRequest(method, handler as Handler);
  }

  /** Any number of parts may listen to the same notification. */
  on<M extends ServerNotification>(
    method: M,
    handler: (params: Params<M>) => void,
  ): vscode.Disposable {
    let heard = this.heard.get(method);
    if (!heard) {
      const emitter = new vscode.EventEmitter<unknown>();
      this.heard.set(method, emitter);
      // The connection itself knows one listener for each method.
      this.client.onNotification(method, (params: unknown) => emitter.fire(params));
      heard = emitter;
    }
    return heard.event((params) => handler(params as Params<M>));
  }

  async dispose(): Promise<void> {
    this.changed.dispose();
    for (const emitter of this.heard.values()) emitter.dispose();
    await this.client.dispose();
  }

  private set(state: Connection): void {
    this.state = state;
    this.changed.fire(state);
  }

  private fail(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    this.output.error(problem);
    this.set({ status: "stopped", problem });
  }

  private create(): LanguageClient {
    const client = new LanguageClient("bowline", "Bowline", () => this.spawn(), this.options());
    client.registerFeature(announce(capabilities));
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Running) this.set({ status: "running" });
      else if (newState === State.Starting) this.set({ status: "starting" });
      else if (this.state.status !== "stopped") {
        this.set({ status: "stopped", problem: "The server has stopped. Restart it to go on." });
      }
    });
    for (const [method, handler] of this.handlers) client.onRequest(method, handler);
    for (const [method, emitter] of this.heard) {
      client.onNotification(method, (params: unknown) => emitter.fire(params));
    }
    return client;
  }

  private async replace(): Promise<void> {
    const failed = this.client;
    this.client = this.create();
    // It has nothing to stop, and says so.
    await failed.dispose().catch(() => undefined);
  }

  private async launch(): Promise<Launch> {
    const { serverPath, serverArguments: given, serverEnvironment, ...wishes } = settings();
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const found = await findBinary({
      configured: serverPath,
      extensionFolder: this.extensionFolder,
      searchPath: process.env["PATH"] ?? "",
      workspaceFolder: cwd,
    });
    if ("problem" in found) throw new Error(found.problem);
    const all = await serverArguments(given, wishes);
    return { program: found.path, all, cwd, env: { ...process.env, ...serverEnvironment } };
  }

  private async spawn(): Promise<ChildProcess> {
    const { program, all, cwd, env } = await this.launch();
    this.output.info(`Starting ${program}`);
    const child = spawn(program, all, { cwd, env, stdio: "pipe" });
    child.on("error", (error) => this.fail(error));
    return child;
  }

  private options(): LanguageClientOptions {
    const shared = (document: vscode.TextDocument) => mayShare(document.uri);
    return {
      documentSelector: [{ scheme: "file" }],
      outputChannel: this.output,
      middleware: {
        didOpen: async (document, next) => {
          if (shared(document)) await next(document);
        },
        didChange: async (event, next) => {
          if (shared(event.document)) await next(event);
        },
        didSave: async (document, next) => {
          if (shared(document)) await next(document);
        },
        didClose: async (document, next) => {
          if (shared(document)) await next(document);
        },
        provideCodeActions: (document, range, context, token, next) =>
          shared(document) ? next(document, range, context, token) : [],
        provideCodeLenses: (document, token, next) =>
          shared(document) ? next(document, token) : [],
      },
    };
  }
}

function announce(agent: () => ClientCapabilities): StaticFeature {
  return {
    fillClientCapabilities: (all) => {
      all.experimental = { ...(all.experimental as object), agent: agent() };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}
