// The user's settings under `bowline.`, read in one place.
import * as vscode from "vscode";

/** When something is attached to a prompt: always, when the user says so, or not at all. */
export type Attach = "always" | "offer" | "never";
export type Notify = "whenHidden" | "always" | "never";
export type OpenDiffs = "whenIdle" | "always" | "never";

export interface Settings {
  serverPath: string;
  serverArguments: string[];
  serverEnvironment: Record<string, string>;
  model: string;
  mode: string;
  attachSelection: Attach;
  attachOpenFile: Attach;
  followEditor: boolean;
  followAgent: boolean;
  exclude: string[];
  shareDiagnostics: boolean;
  permissionNotifications: Notify;
  openDiffs: OpenDiffs;
  resume: boolean;
  suggestions: boolean;
  highlightChanges: boolean;
}

export function settings(): Settings {
  const all = vscode.workspace.getConfiguration("bowline");
  const text = (key: string) => all.get<string>(key, "").trim();
  return {
    serverPath: text("server.path"),
    serverArguments: all.get<string[]>("server.arguments", []),
    serverEnvironment: all.get<Record<string, string>>("server.environment", {}),
    model: text("session.model"),
    mode: text("session.mode"),
    attachSelection: all.get<Attach>("context.selection", "offer"),
    attachOpenFile: all.get<Attach>("context.openFile", "offer"),
    followEditor: all.get("context.followEditor", false),
    followAgent: all.get("review.followAgent", false),
    exclude: all.get<string[]>("context.exclude", []),
    shareDiagnostics: all.get("context.diagnostics", true),
    permissionNotifications: all.get<Notify>("permission.notifications", "whenHidden"),
    openDiffs: all.get<OpenDiffs>("review.openDiffs", "whenIdle"),
    resume: all.get("session.resume", true),
    suggestions: all.get("session.suggestions", false),
    highlightChanges: all.get("review.highlight", true),
  };
}

/** Calls back when one of these settings changed. */
export function onSettings(keys: string[], changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (keys.some((key) => event.affectsConfiguration(`bowline.${key}`))) changed();
  });
}
