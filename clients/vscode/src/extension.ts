// The extension begins here: it puts the parts together and starts the server, without waiting for it.
import * as vscode from "vscode";
import { Attachments } from "./chat/attachments.ts";
import { explain, Inbox } from "./chat/inbox.ts";
import { ChatView } from "./chat/view.ts";
import { registerPickers } from "./commands/pickers.ts";
import { RewindCommands } from "./commands/rewind.ts";
import { registerSessionCommands } from "./commands/session.ts";
import { SessionCommands } from "./commands/sessions.ts";
import { closeDiff, registerDiffs, showSubject } from "./diff.ts";
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
import { onSettings, settings } from "./settings.ts";
import { registerStatusBar } from "./statusBar.ts";

/** For tests of the extension host, and for other extensions that want to watch. */
export interface Api {
  server: Server;
  sessions: Sessions;
  questions: Questions;
  hunks: Hunks;
  inbox: Inbox;
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
  const hunks = new Hunks(server);
  const inbox = new Inbox(server, sessions, questions, attachments, chat);
  chat.receive = (message) => inbox.receive(message);
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
    ...editorParts(server),
    registerDecorations(hunks, context.extensionUri),
    new Review(server, hunks).register(),
    new InlineEdits(server, sessions),
    new SessionCommands(server, sessions, () => chat.focus()).register(),
    new RewindCommands(server, sessions).register(),
    registerPickers(server, sessions),
    registerSessionCommands(server, sessions, questions, chat, inbox),
    registerStatusBar(server, sessions, questions, hunks),
    sessions.onDidReplace(() => void hunks.load().catch(() => undefined)),
    openDiffsOfRequests(questions),
    onSettings(["server", "context.exclude"], () => void server.restart()),
  );
  server.start().catch((error: unknown) => output.error(explain(error)));
  return { server, sessions, questions, hunks, inbox, activationMs: performance.now() - begun };
}

function editorParts(server: Server): vscode.Disposable[] {
  return [
    registerApply(server),
    registerSave(server),
    registerReveal(server),
    registerText(server),
    registerDirty(server),
    registerFocus(server),
    registerDiagnostics(server),
    registerLanguageServer(server),
    registerDiffs(server),
  ];
}

/** Where the user wants it, the change that is asked about opens as a diff and closes with the answer. */
function openDiffsOfRequests(questions: Questions): vscode.Disposable {
  const shown = new Set<string>();
  return questions.onDidChange((pending) => {
    const waiting = new Set(pending.map(({ request }) => request.requestId));
    for (const entry of pending) {
      if (entry.type !== "permission" || !settings().openDiffs) continue;
      const { requestId } = entry.request;
      if (!shown.has(requestId)) void showSubject(entry.request);
      shown.add(requestId);
    }
    for (const requestId of [...shown].filter((id) => !waiting.has(id))) {
      shown.delete(requestId);
      void closeDiff(requestId);
    }
  });
}

/** VS Code disposes of what was registered; the server is stopped with it. */
export function deactivate(): void {}
