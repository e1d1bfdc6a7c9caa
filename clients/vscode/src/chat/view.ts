// The chat view: a webview in the side bar. It can be closed and opened at any time; what it shows is
// kept by the extension and sent when the view is ready.
import * as vscode from "vscode";
import type { Questions } from "../questions.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { Attachments } from "./attachments.ts";
import { page } from "./html.ts";
import type { FromView, ToView } from "./messages.ts";

/** What is said to a view that is not ready yet is said when it is; the rest it is told anyway. */
const LATER = new Set<ToView["type"]>(["insert", "focus", "show"]);

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = "bowline.chat";
  private view: vscode.WebviewView | undefined;
  private ready = false;
  /** Said before the view was ready. */
  private waiting: ToView[] = [];
  private readonly hidden = new vscode.EventEmitter<void>();
  readonly onDidHide = this.hidden.event;
  private readonly parts: vscode.Disposable[] = [this.hidden];
  /** Set once everything that answers the view exists. */
  receive: (message: FromView) => Promise<void> = async () => undefined;

  constructor(private readonly extensionUri: vscode.Uri) {}

  /** Sends what happens to the view, from now on. */
  follow(server: Server, sessions: Sessions, questions: Questions, attachments: Attachments): void {
    this.whenReady = () => {
      const { status, ...rest } = server.connection;
      this.send({
        type: "connection",
        status,
        problem: "problem" in rest ? rest.problem : undefined,
      });
      this.send({ type: "models", models: server.offer?.models ?? [] });
      this.send({ type: "state", state: sessions.current });
      this.send({ type: "pending", pending: questions.all });
      this.send({ type: "chips", chips: attachments.chips() });
    };
    this.parts.push(
      sessions.onEvent((event) => this.send({ type: "event", event })),
      sessions.onDidReplace((state) => this.send({ type: "state", state })),
      questions.onDidChange((pending) => this.send({ type: "pending", pending })),
      attachments.onDidChange((chips) => this.send({ type: "chips", chips })),
      server.onDidChange((connection) => {
        const problem = connection.status === "stopped" ? connection.problem : undefined;
        this.send({ type: "connection", status: connection.status, problem });
        if (connection.status === "running") {
          this.send({ type: "models", models: server.offer?.models ?? [] });
        }
      }),
    );
  }

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  /** What the user can see of the conversation has to be current only while it is seen. */
  send(message: ToView): void {
    if (this.ready) void this.view?.webview.postMessage(message);
    else if (LATER.has(message.type)) this.waiting.push(message);
  }

  async focus(): Promise<void> {
    await vscode.commands.executeCommand("bowline.chat.focus");
    this.send({ type: "focus" });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.ready = false;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extensionUri, "dist")],
    };
    view.webview.onDidReceiveMessage((message: FromView) => this.take(message));
    view.onDidChangeVisibility(() => {
      if (view.visible) return;
      // A view that is out of sight is taken down, and says so when it is there again.
      this.ready = false;
      this.hidden.fire();
    });
    view.onDidDispose(() => {
      this.view = undefined;
      this.ready = false;
      this.hidden.fire();
    });
    view.webview.html = page(view.webview, this.extensionUri);
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private whenReady: () => void = () => undefined;

  private async take(message: FromView): Promise<void> {
    if (message.type !== "ready") {
      await this.receive(message);
      return;
    }
    this.ready = true;
    this.whenReady();
    for (const early of this.waiting.splice(0)) this.send(early);
  }
}
