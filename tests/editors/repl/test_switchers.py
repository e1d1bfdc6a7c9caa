"""Models, modes and themes: a key, a list, and what it looks like before one takes it."""

from terminal import check


def test_model_by_key(_project, terminal):
    """Alt-P opens the list of models; Esc leaves everything as it is."""
    terminal.start()
    terminal.press("M-p")
    terminal.wait("❯ 1. Rehearsal")
    terminal.press("Escape")
    terminal.wait_for_input()


def test_efforts(_project, terminal):
    """The list has the efforts of each model; what is chosen stands in the foot."""
    terminal.submit("export ANTHROPIC_API_KEY=sk-ant-none; clear")
    terminal.start()
    terminal.say("/model")
    screen = terminal.wait("←→ effort")
    check("effort " in screen, "the efforts of the marked one", screen)
    terminal.press("Right")
    terminal.wait(lambda s: "[max]" in s or "[high]" in s, "a chosen effort")
    terminal.press("Left")
    chosen = terminal.wait(lambda s: "[" in s.split("effort")[1].splitlines()[0])
    level = chosen.split("effort")[1].split("[")[1].split("]")[0]
    terminal.press("Enter")
    terminal.wait(f"· {level} ·")


def test_theme_preview(_project, terminal):
    """The marked theme is seen at once, Esc gives the old one back, Enter keeps the new one."""
    terminal.start()
    terminal.say("/theme")
    terminal.wait("● done  ● failed  ● waits")
    green, blue = "\x1b[32m●", "\x1b[38;5;33m●"
    check(green in terminal.colours(), "the terminal's own green", terminal.colours())
    terminal.press("Down")
    terminal.wait(lambda s: blue in s and green not in s, "blue in place of green", look=terminal.colours)
    terminal.press("Down", "Down")
    terminal.wait(lambda s: "\x1b[38;5;33m" not in s and "\x1b[32m" not in s.split("How it looks")[-1], "no colours", look=terminal.colours)
    terminal.press("Escape")
    terminal.wait_for_input()
    terminal.say("/theme")
    terminal.wait("❯ 1. terminal")
    terminal.press("Down", "Enter")
    terminal.wait("looks like this from here on: daltonized")
    settings = _project.home / "bowline" / "settings.json"
    check("daltonized" in settings.read_text(), "it is kept")


def test_modes_in_the_foot(_project, terminal):
    """Shift-Tab goes round, and the foot says where it is."""
    terminal.start()
    for mode in ["acceptEdits", "plan", "default"]:
        terminal.press("BTab")
        terminal.wait(f"· {mode} ·")
