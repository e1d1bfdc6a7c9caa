// A list of any length of which only the part on the screen is in the page. Heights are measured when
// an item is shown and guessed before; the view stays at the end while the user is there.
import { create, patch, type VNode } from "./vdom.ts";

const GUESS = 72;
/** So much above and below the screen is there too, so that scrolling shows no gaps. */
const MARGIN = 600;
/** Closer to the end than this is at the end. */
const NEAR = 48;

export class VirtualList {
  private heights: number[] = [];
  private readonly shown = new Map<number, HTMLElement>();
  private readonly stale = new Set<number>();
  private readonly above = document.createElement("div");
  private readonly below = document.createElement("div");
  private readonly observer = new ResizeObserver((entries) => this.measure(entries));
  private following = true;
  /** The item that shall be at the top, until the user scrolls. */
  private wanted: number | undefined;
  private scheduled = false;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly render: (index: number) => VNode,
  ) {
    this.scroller.append(this.above, this.below);
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    for (const type of ["wheel", "pointerdown", "keydown"]) {
      this.scroller.addEventListener(type, () => (this.wanted = undefined), { passive: true });
    }
    new ResizeObserver(() => this.schedule()).observe(this.scroller);
  }

  get length(): number {
    return this.heights.length;
  }

  /** Whether the end is in sight. */
  get atEnd(): boolean {
    return this.following;
  }

  /** Another number of items; those that remain keep their heights. */
  resize(length: number): void {
    while (this.heights.length < length) this.heights.push(GUESS);
    if (this.heights.length > length) this.heights.length = length;
    this.schedule();
  }

  /** The item looks different now. */
  touch(index: number): void {
    this.stale.add(index);
    this.schedule();
  }

  touchAll(): void {
    for (const index of this.shown.keys()) this.stale.add(index);
    this.schedule();
  }

  /** Another list altogether, seen from its end. */
  reset(length: number): void {
    this.following = true;
    this.wanted = undefined;
    this.heights = new Array<number>(length).fill(GUESS);
    for (const index of [...this.shown.keys()]) this.hide(index);
    this.schedule();
  }

  toEnd(): void {
    this.following = true;
    this.wanted = undefined;
    this.schedule();
  }

  /** Scrolls so that the item is at the top. What is above it is guessed at until it has been shown. */
  reveal(index: number): void {
    if (index < 0 || index >= this.heights.length) return;
    this.following = false;
    this.wanted = index;
    this.schedule();
  }

  private scrolled(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    this.following = scrollTop + clientHeight >= scrollHeight - NEAR;
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.update();
    });
  }

  private update(): void {
    if (this.wanted !== undefined) this.scroller.scrollTop = this.sum(0, this.wanted);
    const [first, last] = this.window();
    const focused = [...this.shown].find(([, element]) =>
      element.contains(document.activeElement),
    )?.[0];
    for (const index of [...this.shown.keys()]) {
      const isWanted = index >= first && index < last;
      // What has the focus stays, or the keyboard would lose its place.
      if (!isWanted && (index !== focused || index >= this.heights.length)) this.hide(index);
    }
    for (let index = first; index < last; index += 1) this.show(index);
    const indexes = [...this.shown.keys()].sort((one, other) => one - other);
    this.place(indexes);
    this.stale.clear();
    if (this.wanted !== undefined) this.scroller.scrollTop = this.sum(0, this.wanted);
    else if (this.following) this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  /** The items that touch the screen. */
  private window(): [first: number, last: number] {
    const height = this.scroller.clientHeight;
    const total = this.sum(0, this.heights.length);
    const top = this.following ? Math.max(0, total - height) : this.scroller.scrollTop;
    let first = 0;
    let offset = 0;
    while (first < this.heights.length && offset + (this.heights[first] ?? 0) < top - MARGIN) {
      offset += this.heights[first] ?? 0;
      first += 1;
    }
    let last = first;
    while (last < this.heights.length && offset < top + height + MARGIN) {
      offset += this.heights[last] ?? 0;
      last += 1;
    }
    return [first, last];
  }

  private show(index: number): void {
    const there = this.shown.get(index);
    if (!there) {
      const element = create(this.render(index)) as HTMLElement;
      this.shown.set(index, element);
      this.observer.observe(element);
    } else if (this.stale.has(index)) {
      const element = patch(there, this.render(index)) as HTMLElement;
      if (element !== there) {
        this.observer.unobserve(there);
        this.observer.observe(element);
        this.shown.set(index, element);
      }
    }
  }

  private hide(index: number): void {
    const element = this.shown.get(index);
    if (!element) return;
    this.observer.unobserve(element);
    element.remove();
    this.shown.delete(index);
  }

  /** In their order between the two gaps; an item that is kept for its focus stands apart. */
  private place(indexes: number[]): void {
    let before: Element = this.above;
    indexes.forEach((index, at) => {
      const element = this.shown.get(index);
      if (!element) return;
      if (before.nextElementSibling !== element) before.after(element);
      const apart = this.sum(index + 1, indexes[at + 1] ?? index + 1);
      element.style.marginBottom = apart > 0 ? `${apart}px` : "";
      before = element;
    });
    const first = indexes[0] ?? 0;
    const last = (indexes.at(-1) ?? -1) + 1;
    this.above.style.height = `${this.sum(0, first)}px`;
    this.below.style.height = `${this.sum(last, this.heights.length)}px`;
  }

  private measure(entries: ResizeObserverEntry[]): void {
    let changed = false;
    for (const { target } of entries) {
      const index = [...this.shown].find(([, element]) => element === target)?.[0];
      const height = (target as HTMLElement).offsetHeight;
      if (index === undefined || height === 0 || this.heights[index] === height) continue;
      this.heights[index] = height;
      changed = true;
    }
    if (changed) this.schedule();
  }

  private sum(from: number, to: number): number {
    let total = 0;
    for (let index = from; index < to; index += 1) total += this.heights[index] ?? 0;
    return total;
  }
}
