// What can be done from the page. Everything is a message to the extension.
import type { FromView } from "../src/chat/messages.ts";
import type { FileDiff, Range } from "../src/wire.ts";
import { isPage, type MarkdownActions } from "./markdown.ts";

export interface Actions extends MarkdownActions {
  send: (message: FromView) => void;
  open: (uri: string, range?: Range) => void;
  /** A page in the browser, a file in the editor. */
  openAny: (uri: string) => void;
  diff: (file: FileDiff, title: string) => void;
}

export function actionsOver(send: (message: FromView) => void): Actions {
  const open = (uri: string, range?: Range) => send({ type: "open", uri, range });
  const link = (href: string) => send({ type: "link", href });
  return {
    send,
    open,
    link,
    openAny: (uri) => (isPage(uri) ? link(uri) : open(uri)),
    diff: (file, title) => {
      const { uri, version, oldText, newText } = file;
      send({ type: "diff", file: { uri, version, oldText, newText }, title });
    },
    copy: (text) => send({ type: "copy", text }),
    apply: (text) => send({ type: "apply", text }),
  };
}
