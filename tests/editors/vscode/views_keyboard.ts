// Sessions and timeline as views, the chat by keyboard alone, a dark and a light theme, and the first steps
import { check, proof, type Editor } from "./kit.ts";

const STORY = "first\nsecond\nthird\nfourth\nfifth\n";

/** What a screen reader would call each thing that can have the keyboard, in the order of Tab. */
async function tabStops(editor: Editor): Promise<{ name: string; role: string }[]> {
  return editor
    .chat()
    .locator("body")
    .evaluate((body) => {
      const all = body.querySelectorAll<HTMLElement>(
        "button, select, textarea, input, summary, a[href], [tabindex]",
      );
      const seen = [...all].filter((element) => element.offsetParent && element.tabIndex >= 0);
      return seen.map((element) => ({
        role: element.getAttribute("role") ?? element.tagName.toLowerCase(),
        name: (
          element.getAttribute("aria-label") ||
          element.textContent?.trim() ||
          element.title ||
          element.closest("label")?.textContent ||
          ""
        ).trim(),
      }));
    });
}

/** The contrast of a text with what is behind it, as WCAG counts it. */
async function weakest(editor: Editor): Promise<{ text: string; contrast: number }> {
  return editor
    .chat()
    .locator("body")
    .evaluate((body) => {
      const parse = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
      const light = (color: number[]) => {
        const [red = 0, green = 0, blue = 0] = color.map((part) => {
          const share = part / 255;
          return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const over = (top: number[], below: number[]) => {
        const alpha = top[3] ?? 1;
        return [0, 1, 2].map((at) => (top[at] ?? 0) * alpha + (below[at] ?? 0) * (1 - alpha));
      };
      const behind = (element: Element | null): number[] => {
        if (!element) return [255, 255, 255];
        const color = parse(getComputedStyle(element).backgroundColor);
        return color[3] === 0
          ? behind(element.parentElement)
          : over(color, behind(element.parentElement));
      };
      let found = { text: "", contrast: Number.POSITIVE_INFINITY };
      for (const element of body.querySelectorAll<HTMLElement>("*")) {
        const own = [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
        );
        if (!own || !element.offsetParent || element.classList.contains("unseen")) continue;
        const ground = behind(element);
        const ink = over(parse(getComputedStyle(element).color), ground);
        const [one, other] = [light(ink), light(ground)].sort((a, b) => b - a);
        const contrast = ((one ?? 0) + 0.05) / ((other ?? 0) + 0.05);
        if (contrast < found.contrast) found = { text: element.textContent ?? "", contrast };
      }
      return found;
    });
}

async function rowOf(editor: Editor, view: string, text: string) {
  const pane = editor.page.locator(".pane", {
    has: editor.page.locator(`[aria-label^="${view}"]`),
  });
  return pane.locator(".monaco-list-row", { hasText: text }).first();
}

await proof(
  async (editor) => {
    const { page } = editor;
    await editor.open();
    await editor.openFile("story.txt");
    await editor.openChat();
    const chat = editor.chat();
    const input = chat.locator("textarea");

    // By keyboard alone: ask, go to the question, answer it with a digit.
    await editor.ask('replace "third" with "line three" in story.txt');
    await chat.locator(".permission").waitFor();
    await editor.shot("1-light-permission");
    const stops = await tabStops(editor);
    const nameless = stops.filter(({ name }) => name === "");
    check(nameless.length === 0, "everything that can be reached has a name", nameless);
    const names = stops.map(({ name }) => name);
    const order = ["Conversation", "Allow once", "Message to Bowline", "Mode", "Model", "Effort"];
    const places = order.map((wanted) => names.findIndex((name) => name.startsWith(wanted)));
    check(
      places.every((place, at) => place >= 0 && (at === 0 || place > (places[at - 1] ?? -1))),
      "the keyboard goes from top to bottom",
      names,
    );
    const light = await weakest(editor);
    check(light.contrast >= 3, "every text can be read in the light theme", light);
    await input.focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("1");
    await chat.locator(".permission").waitFor({ state: "detached" });
    await chat.locator(".review", { hasText: "1 change in story.txt" }).waitFor();
    const back = () => input.evaluate((area) => document.activeElement === area);
    await editor.until(back, "the keyboard goes back to where one writes");
    await editor.ask('say "a needle for the search"');
    await chat.locator(".item.answer", { hasText: "needle" }).waitFor();

    // The timeline has both prompts; one of them is shown in the chat, and one is gone back to.
    await editor.command("Bowline: Focus on Timeline View");
    const point = await rowOf(editor, "Timeline", "line three");
    await point.waitFor();
    await editor.shot("2-timeline");
    check(((await point.textContent()) ?? "").includes("1 change"), "it says what followed");
    await point.hover();
    await point.locator(".action-label").first().click();
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: "Conversation and files" })
      .waitFor();
    await editor.shot("3-rewind");
    await page.keyboard.press("Enter");
    await editor.untilText((text) => text.includes("third\n"), "the file is back");
    await chat.locator(".item.user").first().waitFor({ state: "detached" });
    await chat.locator("button", { hasText: "Undo the rewind" }).click();
    await chat.locator(".item.answer", { hasText: "needle" }).waitFor();

    // The list of sessions: renamed with F2, found by what was said, a new one beside it.
    await editor.command("Bowline: New Session");
    await editor.ask('say "something else"');
    await chat.locator(".item.answer", { hasText: "something else" }).waitFor();
    await editor.command("Bowline: Focus on Sessions View");
    const old = await rowOf(editor, "Sessions", "line three");
    await old.waitFor();
    await old.click();
    await chat.locator(".item.answer", { hasText: "needle" }).waitFor();
    await page.keyboard.press("F2");
    await page.locator(".quick-input-widget input.input").fill("The third line");
    await page.keyboard.press("Enter");
    await (await rowOf(editor, "Sessions", "The third line")).waitFor();
    await editor.shot("4-sessions");
    await editor.command("Bowline: Search Sessions…");
    await page.locator(".quick-input-widget input.input").fill("something else");
    await page.keyboard.press("Enter");
    await (await rowOf(editor, "Sessions", "The third line")).waitFor({ state: "detached" });
    await (await rowOf(editor, "Sessions", "something else")).waitFor();
    await editor.shot("5-search");
    await editor.command("Bowline: Show All Sessions");
    const third = await rowOf(editor, "Sessions", "The third line");
    await third.click();
    await chat.locator(".item.answer", { hasText: "needle" }).waitFor();
    await page.keyboard.press("Delete");
    await page.locator(".monaco-dialog-box .monaco-button", { hasText: "Delete" }).click();
    await third.waitFor({ state: "detached" });

    // The same in the dark.
    await editor.command("Bowline: Open Chat");
    await editor.theme("Dark Modern");
    await chat.locator("body.vscode-dark").waitFor();
    await editor.ask('replace "fifth" with "line five" in story.txt');
    await chat.locator(".permission").waitFor();
    await editor.shot("6-dark-permission");
    const dark = await weakest(editor);
    check(dark.contrast >= 3, "every text can be read in the dark theme", dark);
    await editor.command("Bowline: Deny What Is Asked");
    await chat.locator(".permission").waitFor({ state: "detached" });
    await editor.theme("Dark High Contrast");
    await chat.locator("body.vscode-high-contrast").waitFor();
    await editor.shot("7-high-contrast");

    // The first steps, and the page of settings.
    await editor.theme("Dark Modern");
    await editor.command("Welcome: Open Walkthrough...");
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: "Get Started with Bowline" })
      .click();
    await page.locator(".getting-started-step", { hasText: "Ask for something" }).first().waitFor();
    await editor.shot("8-walkthrough");
    await editor.command("Bowline: Settings");
    await page.locator(".settings-toc-container", { hasText: "What Is Shared" }).waitFor();
    await editor.shot("9-settings");
  },
  { files: { "story.txt": STORY } },
);
