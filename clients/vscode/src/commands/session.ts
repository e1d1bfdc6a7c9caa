// Commands about the session that is shown: ask, steer, stop, sum up, look into the context, and the
// menu that the status bar opens.
import * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import { isSideOf } from "../diff.ts";
import type { Inbox } from "../chat/inbox.ts";
import type { ChatView } from "../chat/view.ts";
import { fullness, money, tokens } from "../model/format.ts";
import type { Point } from "../model/points.ts";
import type { Questions } from "../questions.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { PermissionRequestParams } from "../wire.ts";

export function registerSessionCommands(
  server: Server,
  sessions: Sessions,
  questions: Questions,
  chat: ChatView,
  inbox: Inbox,
): vscode.Disposable {
  const commands: Record<string, (...given: never[]) => unknown> = {
    "bowline.prompt": async (text?: string) => {
      const said = text ?? (await vscode.window.showInputBox({ title: "Ask Bowline" }));
      if (!said?.trim()) return;
      await inbox.prompt(said);
      if (!chat.visible) await chat.focus();
    },
    "bowline.open": () => chat.focus(),
    "bowline.mention": (uri?: vscode.Uri) => mention(chat, uri),
    "bowline.session.stop": async () => {
      const sessionId = sessions.current?.sessionId;
      if (sessionId) await server.request("agent/session/cancel", { sessionId });
    },
    "bowline.timeline.show": async ({ id }: Point) => {
      await vscode.commands.executeCommand("bowline.chat.focus", { preserveFocus: true });
      chat.send({ type: "show", messageId: id });
    },
    "bowline.session.compact": async () => {
      const sessionId = sessions.current?.sessionId;
      if (!sessionId) return;
      const title = "Sum the conversation up";
      const prompt = "What must the summary keep? Leave it empty for the usual.";
      const said = await vscode.window.showInputBox({ title, prompt });
      if (said === undefined) return;
      await server.request("agent/session/compact", { sessionId, instructions: said || undefined });
    },
    "bowline.session.context": () => showContext(server, sessions),
    "bowline.permission.answer": async () => {
      const request = questions.oldestPermission;
      if (request) await questions.choose(request);
      else void vscode.window.setStatusBarMessage("Bowline: nothing waits for an answer.", 4000);
    },
    "bowline.permission.allow": (diff?: vscode.Uri) => answerFirst(questions, "allow", diff),
    "bowline.permission.deny": (diff?: vscode.Uri) => answerFirst(questions, "deny", diff),
    "bowline.server.restart": () => server.start(),
    "bowline.server.log": () => server.showLog(),
    "bowline.settings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:bowline.bowline"),
    "bowline.menu": () => menu(questions),
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, run),
  );
  const waits = questions.onDidChange(() => {
    const asked = questions.permissions.length > 0;
    void vscode.commands.executeCommand("setContext", "bowline.permissionWaits", asked);
  });
  return vscode.Disposable.from(waits, ...registered);
}

/** Names a file, or the selection's place in it, in the prompt that is being written. */
async function mention(chat: ChatView, uri?: vscode.Uri): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const target = uri ?? editor?.document.uri;
  if (!target || !mayShare(target)) {
    void vscode.window.showInformationMessage(
      "Bowline: that file is not of the workspace, or excluded.",
    );
    return;
  }
  const path = vscode.workspace.asRelativePath(target, false);
  chat.send({ type: "insert", text: path.includes(" ") ? `@"${path}" ` : `@${path} ` });
  await chat.focus();
}

/** From a diff, its own request is meant. */
function answerFirst(questions: Questions, kind: "allow" | "deny", diff?: vscode.Uri): void {
  const isMeant = ({ requestId }: PermissionRequestParams) => !diff || isSideOf(diff, requestId);
  const request = questions.permissions.find(isMeant);
  const option = request?.options.find((offered) => offered.kind === kind);
  if (request && option) questions.close(request.requestId, { optionId: option.id });
  else void vscode.window.setStatusBarMessage("Bowline: nothing waits for an answer.", 4000);
}

async function showContext(server: Server, sessions: Sessions): Promise<void> {
  const { sessionId, title } = await sessions.ensure();
  const [context, cost] = await Promise.all([
    server.request("agent/session/context", { sessionId }),
    server.request("agent/session/cost", { sessionId }),
  ]);
  const parts = context.breakdown.map(({ kind, tokens: count }) => ({
    label: `$(dash) ${kind}`,
    description: `${tokens(count)} tokens, ${fullness(count, context.window)}%`,
  }));
  const models = cost.models.map(({ model, costUsd, usage }) => ({
    label: `$(credit-card) ${model}`,
    description: `${money(costUsd)}: ${tokens(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens)} in, ${tokens(usage.outputTokens)} out`,
  }));
  await vscode.window.showQuickPick([...parts, ...models], {
    title: `${title || "Session"}: ${fullness(context.used, context.window)}% of ${tokens(context.window)}, ${money(cost.costUsd)}`,
    placeHolder: "What fills the context, and what it cost",
  });
}

const MENU: [label: string, command: string][] = [
  ["$(comment-discussion) Open the chat", "bowline.open"],
  ["$(add) New session", "bowline.session.new"],
  ["$(history) Sessions", "bowline.session.list"],
  ["$(discard) Rewind", "bowline.session.rewind"],
  ["$(server) Model", "bowline.model"],
  ["$(shield) Mode", "bowline.mode"],
  ["$(dashboard) Effort", "bowline.effort"],
  ["$(pie-chart) Context and cost", "bowline.session.context"],
  ["$(diff) Next change", "bowline.change.next"],
  ["$(eye) Follow the agent, or no longer", "bowline.follow"],
  ["$(debug-stop) Stop", "bowline.session.stop"],
  ["$(debug-restart) Restart the server", "bowline.server.restart"],
  ["$(output) Show the log", "bowline.server.log"],
  ["$(gear) Settings", "bowline.settings"],
];

async function menu(questions: Questions): Promise<void> {
  const request = questions.oldestPermission;
  const first: typeof MENU = request
    ? [[`$(bell-dot) ${request.title}`, "bowline.permission.answer"]]
    : [];
  const items = [...first, ...MENU].map(([label, command]) => ({ label, command }));
  const picked = await vscode.window.showQuickPick(items, { title: "Bowline" });
  if (picked) await vscode.commands.executeCommand(picked.command);
}
