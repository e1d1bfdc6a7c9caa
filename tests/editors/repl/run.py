"""Runs every test of a folder beside this one, or those whose name contains a given word.

A test is a function `test_…(project, terminal)` in a file `test_*.py`; its first line of
documentation is its name in the report.
"""

import importlib
import subprocess
import sys
from pathlib import Path

import terminal as kit


def tests():
    folder = Path(__file__).parent.parent / sys.argv[1]
    sys.path.append(str(folder))
    for file in sorted(folder.glob("test_*.py")):
        module = importlib.import_module(file.stem)
        for name, test in vars(module).items():
            if name.startswith("test_") and callable(test):
                yield name, test


def run(test):
    """None, or why it failed."""
    project = kit.Project()
    terminal = None
    try:
        terminal = kit.Terminal(project)
        test(project, terminal)
        return None
    except (kit.Failed, OSError, subprocess.SubprocessError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        if terminal is not None:
            terminal.close()
        project.remove()


def main():
    kind = sys.argv[1]
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    # A window that outlives every test keeps the tmux server, and with it the socket.
    kit.tmux("new-session", "-d", "-s", "keeper", "cat")
    try:
        for name, test in tests():
            if wanted not in name:
                continue
            why = run(test)
            title = (test.__doc__ or name).strip().splitlines()[0].rstrip(".")
            print(f"{'FAILED' if why else 'ok'}\t{kind}: {title} [{name}]", flush=True)
            if why:
                print(why, flush=True)
    finally:
        kit.tmux("kill-server")
    print("end", flush=True)


main()
