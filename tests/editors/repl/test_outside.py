"""The user's own programs: an editor, the clipboard, notifications."""

import base64
import json
import re
import struct
import zlib

from terminal import check, eventually, tmux


def program(project, name, text):
    """A program of that name, found before all others."""
    folder = project.base / "bin"
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)
    return file


def test_external_editor(project, terminal):
    """Ctrl-G and Ctrl-X Ctrl-E open the prompt in $VISUAL; what is saved is the prompt, an error changes nothing."""
    editor = program(project, "my editor", 'test "$1" = --wait || exit 7\nprintf "say edited 日本語" > "$2"\n')
    (project.base / "tmp").mkdir()
    terminal.submit(f"export TMPDIR={project.base}/tmp VISUAL=\"'{editor}' --wait\"; clear")
    terminal.start()
    terminal.type("say something")
    terminal.press("C-g")
    terminal.wait("› say edited 日本語")
    terminal.press("Enter")
    terminal.wait_for_answer("edited 日本語")
    editor.write_text("#!/bin/sh\nexit 3\n")
    terminal.type("keep me")
    terminal.press("C-x", "C-e")
    terminal.wait(lambda s: "ended with an error; the prompt is as it was" in " ".join(s.split()), "that nothing came of it")
    terminal.wait("› keep me")
    check(not list(project.base.glob("tmp/*")), "nothing is left behind")


def test_editor_takes_the_terminal(project, terminal):
    """A real editor with a screen of its own: it gets every key, and the screen is whole afterwards."""
    editor = program(project, "ask", 'exec < /dev/tty > /dev/tty\nprintf "\\033[?1049h\\033[2JEDITING\\n"\nread line\nprintf "%s" "$line" > "$1"\nprintf "\\033[?1049l"\n')
    terminal.submit(f"export EDITOR={editor}; clear")
    terminal.start()
    terminal.say("say before")
    terminal.wait_for_answer("before")
    terminal.press("C-g")
    terminal.wait("EDITING")
    terminal.submit("say typed in the editor")
    screen = terminal.wait("› say typed in the editor")
    check("EDITING" not in screen and screen.count("› say before") == 1, "the screen is whole", screen)
    terminal.press("Enter")
    terminal.wait_for_answer("typed in the editor")


def picture():
    """A PNG of one red dot."""

    def part(kind, data):
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(b"\0\xff\0\0")) + part(b"IEND", b"")


def test_image_paste(project, terminal):
    """Ctrl-V puts the clipboard's picture into the prompt; it goes along with the prompt that names it."""
    file = project.base / "dot.png"
    file.write_bytes(picture())
    folder = program(project, "wl-paste", f'case "$*" in *image/png*) cat {file};; *) exit 1;; esac\n').parent
    terminal.submit(f"export PATH={folder}:$PATH; clear")
    terminal.start()
    terminal.type("say what is ")
    terminal.press("C-v")
    terminal.wait("› say what is [Image #1]")
    terminal.press("Enter")
    terminal.wait("with image (image/png, 1×1)", look=terminal.transcript)
    terminal.wait_for_input()
    program(project, "wl-paste", 'case "$*" in *image/png*) exit 1;; *) printf "say pasted text";; esac\n')
    terminal.press("C-v")
    terminal.wait("› say pasted text")
    terminal.press("C-u")
    for name in ["wl-paste", "xclip", "xsel", "pngpaste", "pbpaste"]:
        program(project, name, "exit 1\n")
    terminal.press("C-v")
    terminal.wait("There is neither a picture nor text in the clipboard")


def raw(project, terminal):
    """Everything the program writes from here on."""
    file = project.base / "raw"
    tmux("pipe-pane", "-t", terminal.name, f"cat > {file}")
    return lambda: file.read_bytes() if file.exists() else b""


def settings(project, **values):
    home = project.home / "bowline"
    home.mkdir(exist_ok=True)
    (home / "settings.json").write_text(json.dumps(values))


def test_notifications(project, terminal):
    """Who looks elsewhere hears of the end of a turn and of a question; who looks here hears nothing."""
    terminal.start()
    written = raw(project, terminal)
    terminal.type("\x1b[I")
    terminal.say("say nothing to hear")
    terminal.wait_for_answer("nothing to hear")
    check(b"\x07" not in written(), "no bell for who is here")
    terminal.say("run sleep 1")
    terminal.type("\x1b[O")
    terminal.wait_for_input()
    eventually(lambda: written().count(b"\x07") == 1, "one bell at the end of the turn")
    terminal.say('run sleep 1 then replace "hello" with "goodbye" in main.rs')
    terminal.type("\x1b[O")
    terminal.wait_for_question("Edit main.rs?")
    eventually(lambda: written().count(b"\x07") == 2, "another bell for the question")


def test_notifications_by_setting(project, terminal):
    """osc9 says it in words, off says nothing."""
    settings(project, preferredNotifChannel="osc9")
    terminal.start()
    written = raw(project, terminal)
    terminal.say("run sleep 1")
    terminal.type("\x1b[O")
    terminal.wait_for_input()
    eventually(lambda: b"\x1b]9;Bowline is done\x07" in written(), "the words")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    settings(project, preferredNotifChannel="notifications_disabled")
    terminal.start()
    before = len(written())
    terminal.say("run sleep 1")
    terminal.type("\x1b[O")
    terminal.wait_for_input()
    check(b"\x07" not in written()[before:], "silence")


def test_notifications_on_the_desktop(project, terminal):
    """desktop hands the words to notify-send, and the terminal stays silent."""
    said = project.base / "said"
    folder = program(project, "notify-send", f'printf "%s|" "$@" > {said}\n').parent
    settings(project, preferredNotifChannel="desktop")
    terminal.submit(f"export PATH={folder}:$PATH; clear")
    terminal.start()
    written = raw(project, terminal)
    terminal.say("run sleep 1")
    terminal.type("\x1b[O")
    terminal.wait_for_input()
    eventually(lambda: said.exists() and "Bowline|Bowline is done|" in said.read_text(), "the words on the desktop")
    check(b"\x07" not in written(), "no bell")


def test_history_across_sessions(_project, terminal):
    """Ctrl-R finds what was said in an earlier session, while one types."""
    terminal.start()
    terminal.say("say an old 日本語 saying")
    terminal.wait_for_answer("an old 日本語 saying")
    terminal.press("C-d")
    terminal.wait_for_exit(0)
    terminal.start()
    terminal.press("C-r")
    terminal.type("日本")
    screen = terminal.wait("› say an old 日本語 saying")
    check("search back: 日本" in screen, "what is looked for", screen)
    terminal.press("Tab")
    terminal.type(" again")
    terminal.wait("› say an old 日本語 saying again")


def test_no_flicker(project, terminal):
    """While an answer streams nothing is erased as a whole, and every frame is one synchronised update."""
    terminal.start()
    written = raw(project, terminal)
    terminal.say("say 3000 words")
    terminal.wait(lambda s: "to interrupt" not in s and "tokens (" in s, "the end of the turn")
    balanced = lambda text: text.count(b"\x1b[?2026h") == text.count(b"\x1b[?2026l") > 0
    # What tmux passes on may be cut in the middle of a frame while it is on its way.
    seen = []
    eventually(lambda: balanced(seen.append(written()) or seen[-1]), "every frame that begins ends")
    bytes_ = seen[-1]
    check(b"\x1b[2J" not in bytes_ and b"\x1b[3J" not in bytes_, "no screen is erased")
    outside = re.sub(rb"\x1b\[\?2026h.*?\x1b\[\?2026l", b"", bytes_, flags=re.S)
    check(not re.sub(rb"\x1b\][^\x07]*\x07|\x07", b"", outside), f"nothing is drawn outside of a frame: {outside[:80]!r}")
    terminal.wait_until_still()
    before = len(written())
    terminal.type("x")
    terminal.wait("› x")
    cost = len(written()) - before
    check(cost < 200, f"a key costs {cost} bytes")


def test_copied_text_is_whole(project, terminal):
    """What is put into the clipboard is exactly the answer, also with wide letters."""
    terminal.start()
    terminal.say("say 日本語 🚀")
    terminal.wait_for_answer("日本語 🚀")
    written = raw(project, terminal)
    terminal.press("C-o")
    terminal.wait("escape back")
    terminal.press("y")
    terminal.wait("Copied the last answer")
    found = lambda: re.search(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", written())
    eventually(lambda: found() is not None, "the words for the clipboard")
    text = base64.b64decode(found().group(1)).decode()
    check(text.startswith("日本語 🚀") or "\n日本語 🚀" in text, "the answer", text)
