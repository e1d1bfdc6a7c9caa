"""The input line: completion, several lines, history, pasting."""

from terminal import check


def test_complete_commands(_project, terminal):
    """`/` opens a list of commands, typing narrows it, Tab takes one."""
    terminal.start()
    terminal.type("/")
    screen = terminal.wait("❯ /")
    check("/help" in screen and "/model" in screen, "the commands are listed", screen)
    terminal.type("cos")
    terminal.wait(lambda s: "❯ /cost" in s and "/help " not in s.split("❯")[1], "only /cost")
    terminal.press("Tab")
    terminal.wait(lambda s: "› /cost" in s and "❯" not in s, "the completed command")
    terminal.press("Enter")
    terminal.wait("tokens in use")


def test_complete_files(project, terminal):
    """`@` opens a list of files of the project; the chosen one is inserted."""
    (project.folder / "src").mkdir()
    (project.folder / "src" / "engine.rs").write_text("// the engine\n")
    terminal.start()
    terminal.type("read @eng")
    terminal.wait(lambda s: "❯" in s and "src/engine.rs" in s, "the file in the list")
    terminal.press("Tab")
    terminal.wait("› read @src/engine.rs")
    terminal.press("Enter")
    terminal.wait_for_answer("// the engine")


def test_complete_escape(_project, terminal):
    """Esc closes the list and keeps the text."""
    terminal.start()
    terminal.type("/he")
    terminal.wait("❯ /help")
    terminal.press("Escape")
    terminal.wait(lambda s: "❯" not in s and "› /he" in s, "the text without the list")


def test_several_lines(_project, terminal):
    """Alt+Enter, Ctrl+J and a backslash before Enter make new lines; Enter sends them together."""
    terminal.start()
    terminal.type("say one")
    terminal.press("M-Enter")
    terminal.type("say two")
    terminal.press("C-j")
    terminal.type("say three\\")
    terminal.press("Enter")
    terminal.type("say four")
    words = ["say one", "say two", "say three", "say four"]

    def stacked(screen):
        lines = [line.strip(" ›") for line in screen.splitlines()]
        return any(lines[at : at + 4] == words for at in range(len(lines)))

    terminal.wait(stacked, "four lines in the input")
    terminal.send("say four")
    terminal.wait_for_answer("four")
    shown = terminal.transcript()
    check(stacked(shown), "the prompt is shown with its four lines", shown)


def test_paste(_project, terminal):
    """Pasted lines do not send themselves, and all of them arrive."""
    terminal.start()
    terminal.paste("\n".join(f"say line number {n}" for n in range(1, 101)))
    terminal.wait("say line number 100")
    check("to interrupt" not in terminal.screen(), "nothing was sent", terminal.screen())
    terminal.press("Enter")
    # The foot counts tokens once the model has answered.
    terminal.wait(lambda s: "line number 100" in s and " tokens (" in s, "the answer")
    terminal.wait_for_input()
    shown = terminal.transcript()
    check(shown.count("line number 57") >= 2, "each line was asked and answered", shown)


def test_history(_project, terminal):
    """Up brings back earlier prompts, also after a restart; Down returns to the draft."""
    terminal.start()
    terminal.say("say alpha")
    terminal.wait_for_answer("alpha")
    terminal.say("say beta")
    terminal.wait_for_answer("beta")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    terminal.start()
    terminal.press("Up")
    terminal.wait("› say beta")
    terminal.press("Up")
    terminal.wait("› say alpha")
    terminal.press("Down")
    terminal.wait("› say beta")
    terminal.press("Down")
    terminal.wait_for_input()


def test_history_search(_project, terminal):
    """Ctrl-R finds an earlier prompt by a part of it."""
    terminal.start()
    for word in ["alpha", "beta"]:
        terminal.say(f"say {word}")
        terminal.wait_for_answer(word)
    terminal.press("C-r")
    terminal.type("alp")
    terminal.wait(lambda s: "› say alpha" in s and "search back: alp" in s, "the match")
    terminal.press("Enter")
    terminal.wait(lambda s: s.count("› say alpha") == 2 and "search" not in s, "it is asked again")


def test_wide_characters(project, terminal):
    """Wide characters, accents and emoji are typed, deleted and shown in their places."""
    terminal.start()
    terminal.type("say 船は結び目🪢で留まる été")
    terminal.wait("船は結び目🪢で留まる été")
    for _ in range(4):
        terminal.press("BSpace")
    terminal.wait(lambda s: "で留まる" in s and "été" not in s, "the shortened line")
    terminal.press("C-a")
    terminal.press("C-e")
    terminal.type("!")
    terminal.wait("で留まる!")
    terminal.send("say 船は結び目🪢で留まる!")
    terminal.wait_for_answer("船は結び目🪢で留まる!")


def test_editing_keys(_project, terminal):
    """Ctrl-A, Ctrl-K, Ctrl-Y, Ctrl-W and Ctrl-_ edit as in a shell."""
    terminal.start()
    terminal.type("beta gamma")
    terminal.press("C-a")
    terminal.type("say ")
    terminal.wait("› say beta gamma")
    terminal.press("C-k")
    terminal.wait(lambda s: "beta" not in s, "the rest of the line cut")
    terminal.press("C-y")
    terminal.wait("› say beta gamma")
    terminal.press("C-w")
    terminal.wait(lambda s: "› say beta" in s and "gamma" not in s, "the last word cut")
    terminal.press("C-_")
    terminal.wait("› say beta gamma")
