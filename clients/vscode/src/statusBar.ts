// The status bar: whether the agent works, waits or rests, how full its context is and what it cost.
import * as vscode from "vscode";
import { fullness, money, tokens } from "./model/format.ts";
import type { Questions } from "./questions.ts";
import type { Hunks } from "./review/hunks.ts";
import type { Server } from "./server.ts";
import type { Sessions } from "./sessions.ts";

export function registerStatusBar(
  server: Server,
  sessions: Sessions,
  questions: Questions,
  hunks: Hunks,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("bowline", vscode.StatusBarAlignment.Right, 100);
  item.name = "Bowline";
  item.command = "bowline.menu";
  const show = () => {
    const { text, tooltip, warn } = describe(server, sessions, questions, hunks);
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: tooltip.replaceAll("\n", ", ") };
    item.backgroundColor = warn ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  };
  show();
  return vscode.Disposable.from(
    item,
    server.onDidChange(show),
    sessions.onDidReplace(show),
    sessions.onEvent(({ type }) => {
      if (type !== "message.delta" && type !== "thought.delta") show();
    }),
    questions.onDidChange(show),
    hunks.onDidChange(show),
  );
}

interface Line {
  text: string;
  tooltip: string;
  warn: boolean;
}

function describe(server: Server, sessions: Sessions, questions: Questions, hunks: Hunks): Line {
  const { connection } = server;
  if (connection.status === "stopped") {
    return { text: "$(warning) Bowline", tooltip: connection.problem, warn: true };
  }
  if (connection.status === "starting") {
    return { text: "$(loading~spin) Bowline", tooltip: "Bowline is starting.", warn: false };
  }
  const state = sessions.current;
  const waits = questions.all.length;
  if (waits > 0) {
    const tooltip = waits === 1 ? "Bowline waits for your answer." : `Bowline waits for ${waits} answers.`;
    return { text: "$(bell-dot) Bowline asks", tooltip, warn: true };
  }
  const changes = hunks.of().length;
  const running = state?.turnId !== undefined;
  const icon = running ? "$(loading~spin)" : "$(comment-discussion)";
  const lines = [running ? "Bowline is working." : "Bowline is ready."];
  if (state) {
    const { used, window, costUsd } = state.usage;
    lines.push(`Model ${state.config.model}, mode ${state.config.mode}`);
    if (window > 0) lines.push(`Context ${fullness(used, window)}% (${tokens(used)} of ${tokens(window)})`);
    lines.push(`Cost ${money(costUsd)}`);
  }
  if (changes > 0) lines.push(changes === 1 ? "1 change waits for you" : `${changes} changes wait for you`);
  const count = changes > 0 ? ` $(diff) ${changes}` : "";
  return { text: `${icon} Bowline${count}`, tooltip: lines.join("\n"), warn: false };
}
