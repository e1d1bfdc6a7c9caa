// When proposals are asked for.

/** Whether the text before the caret ends in the beginning of a command, a file or a note. */
export function isCompletable(before: string): boolean {
  return /^[/#][^\s]*$/.test(before) || /(?:^|\s)@(?:"[^"]*|[^\s"]*)$/.test(before);
}
