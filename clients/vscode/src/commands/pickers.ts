// Choosing the model, the mode and the effort from the command palette; the chat has the same lists.
import * as vscode from "vscode";
import { tokens } from "../model/format.ts";
import { EFFORTS, MODES } from "../model/choices.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { ConfigChange } from "../wire.ts";

type Choice = vscode.QuickPickItem & { set: ConfigChange };

export function registerPickers(server: Server, sessions: Sessions): vscode.Disposable {
  const choose = async (title: string, choices: Choice[], isCurrent: (choice: Choice) => boolean) => {
    const items = choices.map((choice) => ({
      ...choice,
      label: `${isCurrent(choice) ? "$(check) " : ""}${choice.label}`,
    }));
    const picked = await vscode.window.showQuickPick(items, { title });
    if (!picked) return;
    const { sessionId } = await sessions.ensure();
    await server.request("agent/session/config", { sessionId, set: picked.set });
  };
  const config = () => sessions.current?.config;
  return vscode.Disposable.from(
    vscode.commands.registerCommand("bowline.model", () =>
      choose("Model", models(server), ({ set }) => set.model === config()?.model),
    ),
    vscode.commands.registerCommand("bowline.mode", () =>
      choose(
        "Mode",
        MODES.map(({ id, label, detail }) => ({ label, detail, set: { mode: id } })),
        ({ set }) => set.mode === config()?.mode,
      ),
    ),
    vscode.commands.registerCommand("bowline.effort", () =>
      choose(
        "Effort",
        EFFORTS.map((effort) => ({ label: effort, set: { effort } })),
        ({ set }) => set.effort === config()?.effort,
      ),
    ),
  );
}

function models(server: Server): Choice[] {
  return (server.offer?.models ?? []).map(({ id, name, provider, description, contextWindow }) => ({
    label: name,
    description: contextWindow ? `${provider}, ${tokens(contextWindow)} tokens` : provider,
    detail: description,
    set: { model: id },
  }));
}
