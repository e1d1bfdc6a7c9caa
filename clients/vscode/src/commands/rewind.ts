// The timeline of a session: every prompt is a point to go back to. Before anything changes the user
// sees what would, and afterwards it can be taken back.
import * as vscode from "vscode";
import { ago, fileName } from "../model/format.ts";
import { points, type Point } from "../model/points.ts";
import type { SessionState } from "../model/state.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { RewindWhat, SessionRewindResult } from "../wire.ts";

export class RewindCommands {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand("bowline.session.rewind", (to?: string | Point) =>
        this.rewind(typeof to === "object" ? to.id : to),
      ),
      vscode.commands.registerCommand("bowline.session.unrewind", () => this.unrewind()),
    );
  }

  private async rewind(messageId?: string): Promise<void> {
    const state = this.sessions.current;
    if (!state) return;
    const toMessage = messageId ?? (await this.pickPoint(state));
    if (!toMessage) return;
    const { sessionId } = state;
    const ask = (what: RewindWhat) =>
      this.server.request("agent/session/rewind", { sessionId, toMessage, what, preview: true });
    const what = await this.pickWhat(await ask("both"));
    if (!what) return;
    const done = await this.server.request("agent/session/rewind", { sessionId, toMessage, what });
    for (const conflict of done.conflicts) {
      void vscode.window.showWarningMessage(
        `Bowline: ${fileName(conflict.uri)}: ${conflict.reason}`,
      );
    }
  }

  private async pickPoint(state: SessionState): Promise<string | undefined> {
    const now = Date.now();
    const items = points(state)
      .reverse()
      .map(({ id, label, at }) => ({
        label,
        description: at === undefined ? "" : ago(at, now),
        id,
      }));
    const picked = await vscode.window.showQuickPick(items, {
      title: "Rewind",
      placeHolder: items.length === 0 ? "There is no point to go back to." : "Back to before …",
    });
    return picked?.id;
  }

  private async pickWhat(preview: SessionRewindResult): Promise<RewindWhat | undefined> {
    const files = preview.files.map(
      ({ uri, addedLines, removedLines }) => `${fileName(uri)} +${addedLines} −${removedLines}`,
    );
    const told = files.length === 0 ? "no file changes" : files.join(", ");
    const conflicts = preview.conflicts.length;
    const stay =
      conflicts === 0
        ? ""
        : `; ${conflicts} ${conflicts === 1 ? "place stays" : "places stay"} as you changed them`;
    const items: (vscode.QuickPickItem & { what: RewindWhat })[] = [
      { label: "Conversation and files", detail: told + stay, what: "both" },
      { label: "Files only", detail: told + stay, what: "files" },
      { label: "Conversation only", detail: "files stay as they are", what: "conversation" },
    ];
    const picked = await vscode.window.showQuickPick(items, { title: "Rewind: what goes back?" });
    return picked?.what;
  }

  private async unrewind(): Promise<void> {
    const undoToken = this.sessions.current?.undoToken;
    if (!undoToken) {
      void vscode.window.setStatusBarMessage("Bowline: no rewind to take back.", 4000);
      return;
    }
    await this.server.request("agent/session/unrewind", { undoToken });
    this.sessions.update((state) => {
      state.undoToken = undefined;
    });
  }
}
