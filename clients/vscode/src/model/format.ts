// Numbers and names as people read them.

/** `1,234` → `1.2k`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? "<$0.01" : `$${dollars.toFixed(2)}`;
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** How full the context is, in percent. */
export function fullness(used: number, window: number): number {
  return window > 0 ? Math.min(100, Math.round((used / window) * 100)) : 0;
}

/** The last part of a URI's path, for a label. */
export function fileName(uri: string): string {
  const path = uri.split(/[?#]/)[0] ?? uri;
  const name = path.split("/").findLast((part) => part !== "") ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** How long ago something was. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

/** One line of a text, not longer than `cap`. */
export function oneLine(text: string, cap = 80): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > cap ? `${line.slice(0, cap - 1)}…` : line;
}
