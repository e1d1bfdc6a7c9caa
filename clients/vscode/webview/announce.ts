// What screen readers are told: questions at once, everything else when there is time. The conversation
// itself is not read out word by word as it streams, but as a whole when an answer is complete.
import type { Event, Pending } from "../src/wire.ts";
import { oneLine } from "../src/model/format.ts";
import { findItem, type SessionState } from "../src/model/state.ts";

export class Announcer {
  private readonly polite = region("polite");
  private readonly assertive = region("assertive");
  private asked = new Set<string>();

  event(state: SessionState, event: Event): void {
    if (event.type === "turn.started") this.say("Bowline is working.");
    else if (event.type === "message.ended" && event.role === "assistant") {
      const text = findItem(state, "message", event.messageId)?.text ?? "";
      if (text) this.say(oneLine(text, 2000));
    } else if (event.type === "notice") this.say(event.text);
    else if (event.type === "turn.ended" && event.error) this.say(event.error.message);
  }

  pending(pending: Pending[]): void {
    const fresh = pending.filter(({ request }) => !this.asked.has(request.requestId));
    this.asked = new Set(pending.map(({ request }) => request.requestId));
    const titles = fresh.map((entry) =>
      entry.type === "permission" ? entry.request.title : (entry.request.message ?? "A question"),
    );
    if (titles.length > 0) this.assertive.textContent = titles.join(". ");
  }

  say(text: string): void {
    this.polite.textContent = text;
  }
}

function region(politeness: "polite" | "assertive"): HTMLElement {
  const element = document.createElement("div");
  element.className = "unseen";
  element.setAttribute("aria-live", politeness);
  document.body.append(element);
  return element;
}
