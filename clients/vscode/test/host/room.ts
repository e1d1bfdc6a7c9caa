// What the tests of the extension host share: the editor they run in, a wait with a deadline, and a turn
// of the agent.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Api } from "../../src/extension.ts";
import type { Event, PermissionRequestParams } from "../../src/wire.ts";

export interface Room {
  api: Api;
  folder: string;
  open: (file: string) => Promise<vscode.TextEditor>;
}

const DEADLINE = 30_000;

/** Waits for something that an event of VS Code or of the session brings about. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const end = Date.now() + DEADLINE;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends a prompt and answers every question with the first option of this kind. */
export async function turn(
  api: Api,
  prompt: string,
  kind = "allow",
): Promise<{ events: Event[]; asked: PermissionRequestParams[] }> {
  const events: Event[] = [];
  const asked: PermissionRequestParams[] = [];
  const parts = [
    api.sessions.onEvent((event) => events.push(event)),
    api.questions.onDidChange((pending) => {
      for (const entry of pending) {
        if (
          entry.type !== "permission" ||
          asked.some(({ requestId }) => requestId === entry.request.requestId)
        )
          continue;
        asked.push(entry.request);
        const option = entry.request.options.find((offered) => offered.kind === kind);
        setImmediate(() =>
          api.questions.close(entry.request.requestId, { optionId: option?.id ?? "" }),
        );
      }
    }),
  ];
  try {
    await api.inbox.prompt(prompt);
    await until(() => events.some(({ type }) => type === "turn.ended"), `the end of: ${prompt}`);
  } finally {
    for (const part of parts) part.dispose();
  }
  return { events, asked };
}

export type Tests = Record<string, (room: Room) => Promise<void>>;
