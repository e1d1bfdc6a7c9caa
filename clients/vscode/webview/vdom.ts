// A tree of elements as plain data, and the one place that turns it into the page. Text is only ever
// set as text: there is no way from here to markup, whatever a model or a file says.

export type Child = VNode | string;
export type Value = string | number | boolean | undefined | ((event: never) => void);

export interface VNode {
  tag: string;
  props: Record<string, Value>;
  children: Child[];
}

type Maybe = Child | undefined | false;

/** Makes a node; children that are undefined or false are left out. */
export function h(
  tag: string,
  props: Record<string, Value> = {},
  ...children: (Maybe | Maybe[])[]
): VNode {
  const flat = children.flat().filter((child): child is Child => child !== undefined && child !== false);
  return { tag, props, children: flat };
}

/** All text of a tree, for tests and for screen readers. */
export function textOf(node: Child): string {
  return typeof node === "string" ? node : node.children.map(textOf).join("");
}

/** Builds the elements. */
export function create(node: Child): Node {
  if (typeof node === "string") return document.createTextNode(node);
  const element = document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.props)) setProp(element, name, value, true);
  for (const child of node.children) element.append(create(child));
  known.set(element, node);
  return element;
}

/**
 * Makes what is there look like `node` and gives the element that is there afterwards. Elements of the
 * same kind at the same place are kept, so focus, selection and what the user folded stay.
 */
export function patch(current: Node, node: Child): Node {
  if (typeof node === "string") {
    if (current.nodeType === Node.TEXT_NODE) {
      if (current.nodeValue !== node) current.nodeValue = node;
      return current;
    }
    return replace(current, node);
  }
  const before = current instanceof HTMLElement ? known.get(current) : undefined;
  if (!(current instanceof HTMLElement) || before?.tag !== node.tag || keyOf(before) !== keyOf(node)) {
    return replace(current, node);
  }
  if (before === node) return current;
  patchProps(current, before.props, node.props);
  patchChildren(current, node.children);
  known.set(current, node);
  return current;
}

/** Makes the children of an element look like these. */
export function patchChildren(element: HTMLElement, children: Child[]): void {
  const there = [...element.childNodes];
  children.forEach((child, at) => {
    const current = there[at];
    if (current) patch(current, child);
    else element.append(create(child));
  });
  for (const extra of there.slice(children.length)) extra.remove();
}

const known = new WeakMap<Node, VNode>();

function keyOf(node: VNode): Value {
  return node.props["key"];
}

function replace(current: Node, node: Child): Node {
  const created = create(node);
  current.parentNode?.replaceChild(created, current);
  return created;
}

function patchProps(
  element: HTMLElement,
  before: Record<string, Value>,
  now: Record<string, Value>,
): void {
  for (const name of Object.keys(before)) {
    if (!(name in now)) setProp(element, name, undefined, false);
  }
  for (const [name, value] of Object.entries(now)) {
    if (before[name] !== value) setProp(element, name, value, false);
  }
}

/** Set as properties, because their attributes only say how things began. */
const PROPERTIES = new Set(["value", "checked", "disabled", "selected"]);

function setProp(element: HTMLElement, name: string, value: Value, isNew: boolean): void {
  if (name === "key") return;
  // How a thing begins; afterwards it is the user's.
  if (name === "initialOpen") {
    if (isNew && value) element.setAttribute("open", "");
    return;
  }
  if (name.startsWith("on")) {
    (element as unknown as Record<string, unknown>)[name] = value ?? null;
  } else if (PROPERTIES.has(name)) {
    (element as unknown as Record<string, unknown>)[name] = value ?? "";
  } else if (value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}
