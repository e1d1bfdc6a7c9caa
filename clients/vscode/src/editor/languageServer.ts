// `agent/editor/languageServer`: questions of the agent to the editor's other language servers. VS Code
// asks them all and gives one answer, which is written here as the protocol's own.
import * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import type { Server } from "../server.ts";
import type { LanguageServerParams, Position } from "../wire.ts";
import { wireDiagnostic } from "./diagnostics.ts";
import { wireRange } from "./focus.ts";

interface Asked {
  position?: Position;
  newName?: string;
  query?: string;
}

type Ask = (uri: vscode.Uri, asked: Asked) => Promise<unknown>;

const questions: Record<string, Ask> = {
  "textDocument/definition": async (uri, asked) =>
    places(await run("vscode.executeDefinitionProvider", uri, at(asked))),
  "textDocument/typeDefinition": async (uri, asked) =>
    places(await run("vscode.executeTypeDefinitionProvider", uri, at(asked))),
  "textDocument/implementation": async (uri, asked) =>
    places(await run("vscode.executeImplementationProvider", uri, at(asked))),
  "textDocument/references": async (uri, asked) =>
    places(await run("vscode.executeReferenceProvider", uri, at(asked))),
  "textDocument/hover": async (uri, asked) =>
    hover(await run<vscode.Hover[]>("vscode.executeHoverProvider", uri, at(asked))),
  "textDocument/documentSymbol": async (uri) =>
    symbols(await run<Symbols>("vscode.executeDocumentSymbolProvider", uri)),
  "workspace/symbol": async (_, asked) =>
    symbols(await run<Symbols>("vscode.executeWorkspaceSymbolProvider", asked.query ?? "")),
  "textDocument/rename": async (uri, asked) =>
    edits(
      await run<vscode.WorkspaceEdit>(
        "vscode.executeDocumentRenameProvider",
        uri,
        at(asked),
        asked.newName ?? "",
      ),
    ),
  "textDocument/diagnostic": async (uri) => ({
    kind: "full",
    items: vscode.languages.getDiagnostics(uri).map(wireDiagnostic),
  }),
};

export function registerLanguageServer(server: Server): vscode.Disposable {
  return server.handle("agent/editor/languageServer", answer);
}

async function answer({ method, params, uri }: LanguageServerParams): Promise<unknown> {
  const ask = questions[method];
  if (!ask) throw new Error(`This editor cannot be asked ${method}.`);
  const target = vscode.Uri.parse(uri);
  if (!mayShare(target)) throw new Error("The user has excluded this file.");
  return ask(target, (params ?? {}) as Asked);
}

async function run<T = Places>(command: string, ...asked: unknown[]): Promise<T | undefined> {
  return vscode.commands.executeCommand<T | undefined>(command, ...asked);
}

function at({ position }: Asked): vscode.Position {
  return new vscode.Position(position?.line ?? 0, position?.character ?? 0);
}

type Places = (vscode.Location | vscode.LocationLink)[];
type Symbols = (vscode.DocumentSymbol | vscode.SymbolInformation)[];

function places(found: Places | undefined): unknown[] {
  return (found ?? []).map((place) =>
    "targetUri" in place
      ? { uri: place.targetUri.toString(), range: wireRange(place.targetSelectionRange ?? place.targetRange) }
      : { uri: place.uri.toString(), range: wireRange(place.range) },
  );
}

function hover(found: vscode.Hover[] | undefined): unknown {
  const texts = (found ?? []).flatMap(({ contents }) =>
    contents.map((part) => (typeof part === "string" ? part : part.value)),
  );
  const value = texts.filter((text) => text.trim() !== "").join("\n\n");
  return value === "" ? null : { contents: { kind: "markdown", value } };
}

/** VS Code counts the kinds of symbols from zero, the protocol from one. */
function symbols(found: Symbols | undefined): unknown[] {
  return (found ?? []).map((symbol) =>
    "location" in symbol
      ? {
          name: symbol.name,
          kind: symbol.kind + 1,
          containerName: symbol.containerName,
          location: {
            uri: symbol.location.uri.toString(),
            range: wireRange(symbol.location.range),
          },
        }
      : {
          name: symbol.name,
          detail: symbol.detail,
          kind: symbol.kind + 1,
          range: wireRange(symbol.range),
          selectionRange: wireRange(symbol.selectionRange),
          children: symbols(symbol.children),
        },
  );
}

function edits(found: vscode.WorkspaceEdit | undefined): unknown {
  if (!found) return null;
  const changes: Record<string, unknown[]> = {};
  for (const [uri, list] of found.entries()) {
    changes[uri.toString()] = list.map(({ range, newText }) => ({
      range: wireRange(range),
      newText,
    }));
  }
  return { changes };
}
