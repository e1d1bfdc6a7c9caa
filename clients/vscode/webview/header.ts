// The line above the conversation: its title, what the agent does, and the way to other sessions.
import { oneLine } from "../src/model/format.ts";
import type { SessionState } from "../src/model/state.ts";
import type { Actions } from "./actions.ts";
import { button } from "./items/parts.ts";
import { h, type VNode } from "./vdom.ts";

export interface ConnectionState {
  status: string;
  problem?: string;
}

export function header(state: SessionState | undefined, connection: ConnectionState, actions: Actions): VNode[] {
  const command = (label: string, title: string, name: Parameters<typeof run>[0]) =>
    button(label, title, () => run(name));
  const run = (name: "bowline.session.new" | "bowline.session.list" | "bowline.session.rename" | "bowline.session.rewind") =>
    actions.send({ type: "command", name });
  const bar = h(
    "div",
    { class: "header-bar" },
    h("button", { class: "link title", type: "button", title: "Rename the session", onclick: () => run("bowline.session.rename") }, titleOf(state)),
    command("History", "Sessions", "bowline.session.list"),
    command("Rewind", "Go back to an earlier point", "bowline.session.rewind"),
    command("New", "Start another session", "bowline.session.new"),
  );
  return connection.status === "running" ? [bar] : [bar, trouble(connection, actions)];
}

/** Until it has a title, a session goes by its first prompt. */
function titleOf(state: SessionState | undefined): string {
  const first = state?.items.find((item) => item.kind === "message" && item.role === "user");
  return state?.title || (first?.kind === "message" && oneLine(first.text)) || "New session";
}

function trouble(connection: ConnectionState, actions: Actions): VNode {
  if (connection.status === "starting") return h("div", { class: "trouble", role: "status" }, "Starting …");
  return h(
    "div",
    { class: "trouble error", role: "alert" },
    h("div", {}, connection.problem ?? "The server is not running."),
    h(
      "div",
      { class: "options" },
      button("Restart", "Start the server again", () => actions.send({ type: "command", name: "bowline.server.restart" }), "primary"),
      button("Settings", "Open the settings", () => actions.send({ type: "command", name: "bowline.settings" }), "secondary"),
    ),
  );
}
