"""The whole conversation on a page: everything in it, scrolled, searched, copied, and nothing lost behind it."""

from terminal import check, tmux

PAGE = """
    ● Read main.rs
      file_path: {file}
      ⎿      1    fn main() {
             2        println!("hello");
             3    }

    main.rs has 3 lines:

      fn main() {
          println!("hello");
      }

    (This is the rehearsal model; help says what it understands.)

    › say 日本語 and 🚀

    日本語 and 🚀

    (This is the rehearsal model; help says what it understands.)
"""


def conversation(terminal):
    terminal.start()
    terminal.say("read main.rs")
    terminal.wait_for_answer('println!("hello");')
    terminal.say("say 日本語 and 🚀")
    terminal.wait_for_answer("日本語 and 🚀")


def rows_of(screen):
    return [row.rstrip() for row in screen.splitlines()]


def test_transcript(project, terminal):
    """Ctrl-O shows every call with all that came out of it, row by row; Esc gives the same screen back."""
    terminal.resize(120, 40)
    conversation(terminal)
    terminal.type("a draft")
    before = terminal.wait("› a draft")
    terminal.press("C-o")
    screen = terminal.wait("escape back")
    shown = rows_of(screen)
    wanted = [row[4:].rstrip() for row in PAGE.strip("\n").replace("{file}", str(project.main)).splitlines()]
    at = shown.index("● Read main.rs")
    check(shown[at : at + len(wanted)] == wanted, "the page shows exactly these rows:\n" + "\n".join(wanted), screen)
    check(shown[38] == "─" * 120 and shown[39].endswith(" all"), "a rule and the foot below", screen)
    terminal.press("Escape")
    terminal.wait(lambda s: s == before, "the screen as it was, with the draft")
    check(terminal.fact("alternate_on") == "0", "the page is closed")


def test_transcript_search(_project, terminal):
    """/ looks while one types, n and N go on and back, Esc takes the marks away first."""
    conversation(terminal)
    terminal.press("C-o")
    terminal.wait("escape back")
    terminal.type("/PRINTLN")
    terminal.wait("2 rows")
    terminal.press("Enter")
    terminal.wait("1/2 ·")
    terminal.press("n")
    terminal.wait("2/2 ·")
    terminal.press("n")
    terminal.wait("1/2 ·")
    terminal.press("N")
    terminal.wait("2/2 ·")
    check("\x1b[1;7mprintln" in terminal.colours(), "the place is marked", terminal.colours())
    terminal.type("/nowhere")
    terminal.wait(lambda s: s.rstrip().endswith("nothing"), "that there is nothing")
    terminal.press("Enter")
    terminal.wait("nothing with: nowhere")
    terminal.press("Escape")
    terminal.wait("escape back")
    terminal.press("Escape")
    terminal.wait_for_input()


def test_transcript_scrolls(_project, terminal):
    """Rows, pages, the beginning, prompts and the end; calls in short and with everything."""
    conversation(terminal)
    terminal.say("say 300 words")
    terminal.wait_for_answer("bowline holds under load")
    terminal.press("C-o")
    terminal.wait(lambda s: s.rstrip().endswith("end"), "the end of the conversation")
    terminal.press("g")
    terminal.wait(lambda s: s.startswith("Bowline 0."), "the beginning")
    terminal.press("]")
    terminal.wait(lambda s: s.startswith("› read main.rs"), "the first prompt on top")
    terminal.press("]")
    terminal.wait(lambda s: s.startswith("› say 日本語 and 🚀"), "the next prompt on top")
    terminal.press("[")
    terminal.wait(lambda s: s.startswith("› read main.rs"), "the prompt before")
    terminal.wait("1    fn main() {")
    terminal.press("x")
    screen = terminal.wait("⎿ 3 lines")
    check("1    fn main() {" not in screen, "calls are short", screen)
    check(screen.startswith("› read main.rs"), "the same part is in sight", screen)
    terminal.press("G")
    terminal.wait(lambda s: s.rstrip().endswith("end"), "the end again")
    terminal.press("k", "k", "j", "b", "q")
    terminal.wait_for_input()


def test_transcript_resize(_project, terminal):
    """At 120 by 40, 60 by 24 and 80 by 24: a whole page each time, and a whole screen behind it."""
    conversation(terminal)
    terminal.press("C-o")
    terminal.wait("escape back")
    for columns, rows in [(120, 40), (60, 24), (80, 24)]:
        terminal.resize(columns, rows)

        def whole(screen, columns=columns, rows=rows):
            shown = rows_of(screen)
            rules = [row for row in shown if row and set(row) == {"─"}]
            return len(shown) >= rows and rules == ["─" * columns] and "escape back" in shown[rows - 1]

        terminal.wait(whole, f"a whole page at {columns} by {rows}")
    terminal.press("q")

    def behind(screen):
        shown = rows_of(screen)
        rules = [row for row in shown if row and set(row) == {"─"}]
        return rules == ["─" * 80] * 2 and shown.count("›") == 1 and "日本語 and 🚀" in shown

    terminal.wait(behind, "one input and the conversation behind the page")


def test_transcript_follows(_project, terminal):
    """An answer that streams goes on in the page, and is in the scrollback when the page closes."""
    tmux("set-option", "-g", "history-limit", "20000")
    terminal.close()
    terminal.__init__(terminal.project)
    terminal.start()
    # Every answer but the first one ends with the same words.
    terminal.say("say one")
    terminal.wait_for_answer("one")
    terminal.say("say 20000 words")
    terminal.wait("bowline holds under load")
    terminal.press("C-o")
    terminal.wait("escape back")
    terminal.wait(lambda s: "(This is the rehearsal model;" in s, "the end of the answer in the page")
    terminal.press("q")
    terminal.wait_for_input()
    shown = " ".join(terminal.transcript().split())
    said = shown.count("bowline holds under load")
    check(1666 <= said < 1700, f"every line is there once ({said} of 1666)")


def test_transcript_copies(_project, terminal):
    """y copies the last answer into the terminal's clipboard, Y everything, e writes a file."""
    tmux("set-option", "-s", "set-clipboard", "on")
    conversation(terminal)
    terminal.press("C-o")
    terminal.wait("escape back")
    terminal.press("y")
    terminal.wait("Copied the last answer")
    copied = terminal.wait(lambda s: "日本語 and 🚀" in s, "the answer in the clipboard", look=lambda: tmux("show-buffer"))
    check("read main.rs" not in copied, "only the answer", copied)
    terminal.press("Y")
    terminal.wait("Copied the conversation")
    terminal.wait(lambda s: "› read main.rs" in s, "all of it in the clipboard", look=lambda: tmux("show-buffer"))
    terminal.press("e")
    terminal.wait("The session is written to")
    written = list(terminal.project.folder.glob("session-*.md"))
    check(len(written) == 1 and "日本語" in written[0].read_text(), "the file is there")


def test_question_before_a_page(project, terminal):
    """A question comes to the front of the page, and the page comes back."""
    terminal.start()
    terminal.say("run sleep 1 then " + 'replace "hello" with "goodbye" in main.rs')
    terminal.press("C-o")
    terminal.wait("escape back")
    terminal.wait_for_question("Edit main.rs?")
    terminal.press("y")
    terminal.wait("escape back")
    terminal.wait("Replaced hello with goodbye")
    check("goodbye" in project.main.read_text(), "the file is changed")
    terminal.press("q")
    terminal.wait_for_input()
