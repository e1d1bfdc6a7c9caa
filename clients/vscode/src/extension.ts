// The extension begins here: it puts the parts together and starts the server, without waiting for it.
import * as vscode from "vscode";
import { Attention } from "./attention.ts";
import { Attachments } from "./chat/attachments.ts";
import { explain, Inbox } from "./chat/inbox.ts";
import { ChatView } from "./chat/view.ts";
import { registerPickers } from "./commands/pickers.ts";
import { RewindCommands } from "./commands/rewind.ts";
import { registerSessionCommands } from "./commands/session.ts";
import { SessionCommands } from "./commands/sessions.ts";
import { closeDiff, registerDiffs } from "./diff.ts";
import { registerApply } from "./editor/apply.ts";
import { registerDiagnostics } from "./editor/diagnostics.ts";
import { registerDirty } from "./editor/dirty.ts";
import { registerFocus } from "./editor/focus.ts";
import { registerLanguageServer } from "./editor/languageServer.ts";
import { registerReveal } from "./editor/reveal.ts";
import { registerSave } from "./editor/save.ts";
import { registerText } from "./editor/text.ts";
import { InlineEdits } from "./inline.ts";
import { Questions } from "./questions.ts";
import { Review } from "./review/commands.ts";
import { registerDecorations } from "./review/decorations.ts";
import { Hunks } from "./review/hunks.ts";
import { Server } from "./server.ts";
import { Sessions } from "./sessions.ts";
import { onSettings } from "./settings.ts";
import { registerStatusBar } from "./statusBar.ts";
import { SessionList } from "./views/sessionList.ts";
import { Timeline } from "./views/timeline.ts";

/** What the server is started with; a change of it takes another start. */
const RESTARTS = ["server", "context.exclude", "context.followEditor"];

/** For tests of the extension host, and for other extensions that want to watch. */
export interface Api {
  server: Server;
  sessions: Sessions;
  questions: Questions;
  hunks: Hunks;
  inbox: Inbox;
  rows: SessionList;
  timeline: Timeline;
  /** How long the start took, in milliseconds. */
  activationMs: number;
}

export function activate(context: vscode.ExtensionContext): Api {
  const begun = performance.now();
  const output = vscode.window.createOutputChannel("Bowline", { log: true });
  const server = new Server(context.extensionPath, output);
  const sessions = new Sessions(server, context.workspaceState);
  const chat = new ChatView(context.extensionUri);
  const questions = new Questions(server, sessions, chat);
  const attachments = new Attachments();
  const attention = new Attention();
  const hunks = new Hunks(server);
  const rows = new SessionList(server, sessions);
  const timeline = new Timeline(sessions);
  const inbox = new Inbox(server, sessions, questions, attachments, chat);
  chat.receive = (message) => {
    attention.left();
    return inbox.receive(message);
  };
  chat.follow(server, sessions, questions, attachments);
  context.subscriptions.push(
    output,
    server,
    sessions,
    questions,
    attachments,
    hunks,
    chat,
    vscode.window.registerWebviewViewProvider(ChatView.id, chat),
    attention,
    ...editorParts(server, attention),
    registerDecorations(hunks, context.extensionUri),
    new Review(server, hunks).register(),
    new InlineEdits(server, sessions),
    rows,
    new SessionCommands(server, sessions, rows, () => chat.focus()).register(),
    timeline,
    new RewindCommands(server, sessions).register(),
    registerPickers(server, sessions),
    registerSessionCommands(server, sessions, questions, chat, inbox),
    registerStatusBar(server, sessions, questions, hunks),
    sessions.onDidReplace(() => void hunks.load().catch(() => undefined)),
    // A diff that could not be opened needs no closing.
    questions.onDidClose((requestId) => void closeDiff(requestId).catch(() => undefined)),
    onSettings(RESTARTS, () => void server.start()),
  );
  server.start().catch((error: unknown) => output.error(explain(error)));
  const activationMs = performance.now() - begun;
  return { server, sessions, questions, hunks, inbox, rows, timeline, activationMs };
}

function editorParts(server: Server, attention: Attention): vscode.Disposable[] {
  return [
    registerApply(server),
    registerSave(server),
    registerReveal(server, attention),
    registerText(server),
    registerDirty(server),
    registerFocus(server),
    registerDiagnostics(server),
    registerLanguageServer(server),
    registerDiffs(server, attention),
  ];
}

/** VS Code disposes of what was registered; the server is stopped with it. */
export function deactivate(): void {}
