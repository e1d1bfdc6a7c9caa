// `agent/editor/diagnostics`: what other language servers found, one notification for each source, so
// that the agent knows what is wrong in the text as it is now. (What our own server finds comes to the
// editor the usual way.)
import * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import type { Server } from "../server.ts";
import { onSettings, settings } from "../settings.ts";
import type { Diagnostic } from "../wire.ts";
import { opened } from "./apply.ts";
import { wireRange } from "./focus.ts";

const OURS = "bowline";
/** A source that names itself nowhere. */
const UNNAMED = "editor";
const SEVERITIES = [1, 2, 3, 4];

export function registerDiagnostics(server: Server): vscode.Disposable {
  const bridge = new Bridge(server);
  return vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => bridge.tell(uri))),
    server.onDidChange(({ status }) => {
      if (status === "running") bridge.tellAll();
    }),
    onSettings(["context.diagnostics"], () => bridge.tellAll()),
  );
}

class Bridge {
  /** The sources that said something about a document. */
  private readonly sources = new Map<string, Set<string>>();

  constructor(private readonly server: Server) {}

  tellAll(): void {
    this.sources.clear();
    for (const [uri] of vscode.languages.getDiagnostics()) this.tell(uri);
  }

  tell(uri: vscode.Uri): void {
    if (!settings().shareDiagnostics || !mayShare(uri)) return;
    const name = uri.toString();
    const found = bySource(vscode.languages.getDiagnostics(uri));
    const before = this.sources.get(name) ?? [];
    const version = opened(name)?.version ?? null;
    // Who said something before and says nothing now is content.
    for (const source of new Set([...before, ...found.keys()])) {
      const items = (found.get(source) ?? []).map(wireDiagnostic);
      this.server.notify("agent/editor/diagnostics", { uri: name, version, source, items });
    }
    if (found.size > 0) this.sources.set(name, new Set(found.keys()));
    else this.sources.delete(name);
  }
}

function bySource(all: vscode.Diagnostic[]): Map<string, vscode.Diagnostic[]> {
  const found = new Map<string, vscode.Diagnostic[]>();
  for (const diagnostic of all) {
    const source = diagnostic.source ?? UNNAMED;
    if (source === OURS) continue;
    found.set(source, [...(found.get(source) ?? []), diagnostic]);
  }
  return found;
}

export function wireDiagnostic(diagnostic: vscode.Diagnostic): Diagnostic {
  const { code, message, range, severity, source, tags } = diagnostic;
  return {
    range: wireRange(range),
    message,
    severity: SEVERITIES[severity],
    source,
    code: typeof code === "object" ? code.value : code,
    tags: tags ? [...tags] : undefined,
  };
}
