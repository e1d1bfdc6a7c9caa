// The session that the chat shows: started, joined, forked and followed here. Its state is kept by the
// extension, so the chat view can be closed and opened again without asking anybody.
import * as vscode from "vscode";
import { applyEvent, markUndoable } from "./model/events.ts";
import { fromAttach } from "./model/snapshot.ts";
import { emptyState, type SessionState } from "./model/state.ts";
import type { Server } from "./server.ts";
import { settings } from "./settings.ts";
import type { Event, Hunk, SessionAttachResult } from "./wire.ts";

const LAST = "bowline.lastSession";

export class Sessions implements vscode.Disposable {
  private readonly replaced = new vscode.EventEmitter<SessionState | undefined>();
  private readonly happened = new vscode.EventEmitter<Event>();
  /** Another session, or the same one told anew. */
  readonly onDidReplace = this.replaced.event;
  /** An event of the session that is shown, after it was applied. */
  readonly onEvent = this.happened.event;
  private state: SessionState | undefined;
  private opening: Promise<SessionState> | undefined;
  /** Events that arrived before the answer that they follow was read. */
  private early: Event[] = [];
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {
    this.parts = [
      this.replaced,
      this.happened,
      server.on("agent/event", (event) => this.receive(event)),
      server.onDidChange(({ status }) => {
        if (status === "running") void this.reconnect();
      }),
    ];
  }

  get current(): SessionState | undefined {
    return this.state;
  }

  /** The folder that a new session works in, and the others it may use. */
  folders(): { cwd: string; roots: string[] } | undefined {
    const all = vscode.workspace.workspaceFolders ?? [];
    const active = vscode.window.activeTextEditor?.document.uri;
    const first = (active && vscode.workspace.getWorkspaceFolder(active)) ?? all[0];
    if (!first) return undefined;
    const others = all.filter((folder) => folder !== first);
    return { cwd: first.uri.fsPath, roots: others.map((folder) => folder.uri.fsPath) };
  }

  /** The session that is shown, or a new one. */
  async ensure(): Promise<SessionState> {
    return this.state ?? this.opening ?? this.begin();
  }

  async begin(): Promise<SessionState> {
    const folders = this.folders();
    if (!folders) throw new Error("Open a folder first: the agent works in one.");
    const { model, mode } = settings();
    return this.open(async () => {
      const answer = await this.server.request("agent/session/new", {
        ...folders,
        model: model || undefined,
        mode: mode || undefined,
      });
      return emptyState(answer);
    });
  }

  async attach(sessionId: string): Promise<SessionState> {
    return this.open(async () => {
      const cwd = this.folders()?.cwd;
      const answer = await this.server.request("agent/session/attach", { sessionId, cwd });
      return this.joined(answer);
    });
  }

  async dispose(): Promise<void> {
    for (const part of this.parts) part.dispose();
  }

  /** Changes something that no event tells. */
  update(change: (state: SessionState) => void): void {
    if (!this.state) return;
    change(this.state);
    this.replaced.fire(this.state);
  }

  private async joined(answer: SessionAttachResult): Promise<SessionState> {
    const state = fromAttach(answer);
    const { sessionId } = state;
    const { hunks } = await this.server.request("agent/review/list", { sessionId });
    state.hunks = hunks.filter((hunk: Hunk) => hunk.state === "pending");
    for (const { toolCallId } of state.hunks) markUndoable(state, toolCallId);
    for (const event of answer.events) applyEvent(state, event);
    return state;
  }

  private async open(how: () => Promise<SessionState>): Promise<SessionState> {
    const before = this.state?.sessionId;
    const opening = how();
    this.opening = opening;
    this.early = [];
    try {
      const state = await opening;
      const missed = this.early.filter(
        (event) => event.sessionId === state.sessionId && event.seq > state.seq,
      );
      for (const event of missed) applyEvent(state, event);
      this.state = state;
      await this.memory.update(LAST, state.sessionId);
      this.replaced.fire(state);
      if (before && before !== state.sessionId) this.leave(before);
      return state;
    } finally {
      if (this.opening === opening) this.opening = undefined;
    }
  }

  /** The session goes on without us; one that is gone needs no goodbye. */
  private leave(sessionId: string): void {
    this.server.request("agent/session/detach", { sessionId }).catch(() => undefined);
  }

  private receive(event: Event): void {
    if (this.opening) this.early.push(event);
    if (event.sessionId !== this.state?.sessionId) return;
    if (event.seq <= this.state.seq) return;
    if (event.seq > this.state.seq + 1 || event.type === "session.unrewound") {
      void this.again(this.state.sessionId);
      return;
    }
    applyEvent(this.state, event);
    this.happened.fire(event);
  }

  /** Something was missed, or taken back: the server tells it all once more. */
  private async again(sessionId: string): Promise<void> {
    if (!this.opening) await this.attach(sessionId).catch(() => undefined);
  }

  /** After a start of the server: the session of before, when there is one to go on with. */
  private async reconnect(): Promise<void> {
    const last =
      this.state?.sessionId ?? (settings().resume ? this.memory.get<string>(LAST) : undefined);
    this.state = undefined;
    if (last && this.folders()) {
      try {
        await this.attach(last);
        return;
      } catch {
        // It was deleted, or belongs to another machine: start afresh when the user does.
      }
    }
    this.replaced.fire(undefined);
  }
}
