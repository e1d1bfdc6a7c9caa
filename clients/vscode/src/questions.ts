// Questions of the server that wait for the user: permission requests and forms. They are shown in the
// chat and, when the chat is out of sight, as a notification; whoever answers first, here or at another
// door, closes them everywhere.
import * as vscode from "vscode";
import { showSubject } from "./diff.ts";
import type { Server } from "./server.ts";
import type { Sessions } from "./sessions.ts";
import { settings } from "./settings.ts";
import type {
  AskParams,
  AskResult,
  Pending,
  PermissionAnswer,
  PermissionOption,
  PermissionRequestParams,
} from "./wire.ts";

type Answer = PermissionAnswer | AskResult | null;

/** Whether the user can see the chat. */
export interface Sight {
  readonly visible: boolean;
  readonly onDidHide: vscode.Event<void>;
}

export class Questions implements vscode.Disposable {
  private readonly waiting = new Map<
    string,
    { pending: Pending; answer: (answer: Answer) => void }
  >();
  /** Those that were shown as a notification. */
  private readonly notified = new Set<string>();
  private readonly changed = new vscode.EventEmitter<Pending[]>();
  readonly onDidChange = this.changed.event;
  private readonly closed = new vscode.EventEmitter<string>();
  /** The id of a question that needs no answer any more. */
  readonly onDidClose = this.closed.event;
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    sessions: Sessions,
    private readonly chat: Sight,
  ) {
    this.parts = [
      this.changed,
      this.closed,
      server.handle("agent/permission/request", (request, token) => {
        return this.wait(
          { type: "permission", request },
          token,
        ) as Promise<PermissionAnswer | null>;
      }),
      server.handle("agent/ask", async (request, token) => {
        const answer = (await this.wait({ type: "ask", request }, token)) as AskResult | null;
        return answer ?? { action: "cancel" };
      }),
      server.on("agent/request/resolved", ({ requestId }) => this.close(requestId, null)),
      sessions.onDidReplace((state) => this.adopt(state?.pending ?? [])),
      server.onDidChange(({ status }) => {
        if (status !== "running") this.closeAll();
      }),
      // Whoever closes the chat while it asks would not see the question any more.
      chat.onDidHide(() => this.notifyAll()),
    ];
  }

  get all(): Pending[] {
    return [...this.waiting.values()].map(({ pending }) => pending);
  }

  /** The user's answer, from the chat or from a notification. False when nothing waits any more. */
  close(requestId: string, answer: Answer): boolean {
    const entry = this.waiting.get(requestId);
    if (!entry) return false;
    this.waiting.delete(requestId);
    this.notified.delete(requestId);
    entry.answer(answer);
    this.closed.fire(requestId);
    this.changed.fire(this.all);
    return true;
  }

  /** The permission request that waits longest. */
  get oldestPermission(): PermissionRequestParams | undefined {
    return this.permissions[0];
  }

  get permissions(): PermissionRequestParams[] {
    return this.all.flatMap((pending) => (pending.type === "permission" ? [pending.request] : []));
  }

  /** All answers with their scopes, in a list. */
  async choose(request: PermissionRequestParams): Promise<void> {
    const items = request.options.map((option) => ({
      label: option.label,
      description: scopeOf(option),
      detail: option.rule,
      option,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: request.title,
      placeHolder: request.reason,
    });
    if (picked) this.close(request.requestId, { optionId: picked.option.id });
  }

  dispose(): void {
    this.closeAll();
    for (const part of this.parts) part.dispose();
  }

  private wait(pending: Pending, token: vscode.CancellationToken): Promise<Answer> {
    const { requestId } = pending.request;
    return new Promise((resolve) => {
      this.waiting.set(requestId, { pending, answer: resolve });
      token.onCancellationRequested(() => this.close(requestId, null));
      this.changed.fire(this.all);
      this.notifyAll();
    });
  }

  /** Requests that were made before we joined are answered by a request of our own. */
  private adopt(pending: Pending[]): void {
    for (const entry of pending) {
      const { requestId } = entry.request;
      if (this.waiting.has(requestId)) continue;
      const answer = (given: Answer) => {
        if (given && "optionId" in given) {
          const params = { requestId, ...given };
          this.server.request("agent/permission/respond", params).catch(() => undefined);
        } else if (given && "action" in given) {
          const params = { requestId, ...given };
          this.server.request("agent/ask/respond", params).catch(() => undefined);
        }
      };
      this.waiting.set(requestId, { pending: entry, answer });
    }
    this.changed.fire(this.all);
    this.notifyAll();
  }

  private closeAll(): void {
    for (const requestId of [...this.waiting.keys()]) this.close(requestId, null);
  }

  private isQuiet(): boolean {
    const when = settings().permissionNotifications;
    return when === "never" || (when === "whenHidden" && this.chat.visible);
  }

  private notifyAll(): void {
    if (this.isQuiet()) return;
    for (const pending of this.all) {
      const { requestId } = pending.request;
      if (this.notified.has(requestId)) continue;
      this.notified.add(requestId);
      if (pending.type === "permission") this.notifyPermission(pending.request);
      else this.notifyAsk(pending.request);
    }
  }

  private notifyPermission(request: PermissionRequestParams): void {
    const allow = request.options.find(({ kind }) => kind === "allow");
    const deny = request.options.find(({ kind }) => kind === "deny");
    const more = "More…";
    const diff = "Show Diff";
    const labels = [allow?.label, deny?.label, more].filter((label) => label !== undefined);
    if (request.subject.kind === "edit") labels.push(diff);
    void vscode.window
      .showInformationMessage(`${request.title} ${request.reason}`, ...labels)
      .then(async (label) => {
        if (label === undefined) return;
        if (label === more) await this.choose(request);
        else if (label === diff) {
          await showSubject(request);
          this.notifyPermission(request);
        } else {
          const option = label === allow?.label ? allow : deny;
          const taken = option && this.close(request.requestId, { optionId: option.id });
          if (!taken)
            void vscode.window.setStatusBarMessage("Bowline: that was answered already.", 4000);
        }
      });
  }

  private notifyAsk(request: AskParams): void {
    const text = request.message ?? request.questions?.[0]?.text ?? "Bowline has a question.";
    void vscode.window.showInformationMessage(text, "Answer").then((label) => {
      if (label) void vscode.commands.executeCommand("bowline.chat.focus");
    });
  }
}

function scopeOf(option: PermissionOption): string {
  const scopes: Record<string, string> = {
    once: "this once",
    turn: "until the turn ends",
    session: "in this session",
    project: "in this project",
    user: "everywhere",
  };
  return scopes[option.scope] ?? option.scope;
}
