//! Configurations in, servers and problems out, a line each.

use super::*;

fn show(configs: &[ServerConfig], problems: &[ConfigProblem]) -> String {
    let pairs = |map: &BTreeMap<String, String>| {
        map.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>()
    };
    let mut lines = Vec::new();
    for ServerConfig { name, scope, transport, .. } in configs {
        let details = match transport {
            Transport::Stdio { command, args, env } => format!("{command} {args:?}{}", pairs(env)),
            Transport::Remote { url, headers, headers_helper, oauth, .. } => {
                let helper = headers_helper.iter().map(|command| format!(" helper `{command}`"));
                let oauth = Some(oauth).filter(|oauth| **oauth != OAuthConfig::default());
                let oauth = oauth.map(|oauth| {
                    let url = oauth.metadata_url.as_ref().map(url::Url::as_str);
                    let OAuthConfig { client_id, callback_port, scopes, .. } = oauth;
                    format!(" oauth {client_id:?} {callback_port:?} {scopes:?} {url:?}")
                });
                let more = helper.chain(oauth).collect::<String>();
                format!("{url}{}{more}", pairs(headers))
            }
            Transport::Sdk => String::new(),
        };
        lines.push(format!("{name}: {} {} {details}", scope.name(), transport.name()));
    }
    for ConfigProblem { server, message } in problems {
        lines.push(format!("! {}: {message}", server.as_deref().unwrap_or("-")));
    }
    lines.join("\n")
}

#[track_caller]
fn check(json: &str, expect: &str) {
    let (configs, problems) = parse_config(json, Scope::Project);
    assert_eq!(show(&configs, &problems), expect, "{json}");
}

#[track_caller]
fn check_server(server: &str, expect: &str) {
    check(&format!(r#"{{"mcpServers": {{"s": {server}}}}}"#), expect);
}

#[test]
fn every_kind_of_server_is_read() {
    check_server(r#"{"command": "npx", "future": 1}"#, "s: project stdio npx []");
    check_server(
        r#"{"type": "stdio", "command": "npx", "args": ["-y", "${A}"], "env": {"K": "${B:-x}"}}"#,
        r#"s: project stdio npx ["-y", "${A}"] K=${B:-x}"#,
    );
    check_server(
        r#"{"type": "http", "url": "https://x.example/mcp", "headers": {"A": "b"}}"#,
        "s: project http https://x.example/mcp A=b",
    );
    check_server(r#"{"type": "streamable-http", "url": "http://x"}"#, "s: project http http://x");
    check_server(r#"{"type": "sse", "url": "HTTPS://x"}"#, "s: project sse HTTPS://x");
    check_server(r#"{"type": "ws", "url": "wss://x"}"#, "s: project ws wss://x");
    check_server(r#"{"type": "http", "url": "${URL}"}"#, "s: project http ${URL}");
    check_server(r#"{"type": "sdk", "name": "s"}"#, "s: project sdk ");
    check_server(
        r#"{"type": "http", "url": "http://x", "headersHelper": "get-token $HOME"}"#,
        "s: project http http://x helper `get-token $HOME`",
    );
    check_server(
        r#"{"type": "http", "url": "http://x", "oauth": {"clientId": "c", "callbackPort": 8080,
            "scopes": "a  b", "authServerMetadataUrl": "https://y/.well-known/z"}}"#,
        r#"s: project http http://x oauth Some("c") Some(8080) ["a", "b"] Some("https://y/.well-known/z")"#,
    );
}

#[test]
fn a_wrong_server_is_a_problem() {
    let check = |server: &str, message: &str| check_server(server, &format!("! s: {message}"));
    check("1", "A server is configured by an object, such as {\"command\": \"…\"}.");
    check("{}", "`command` is missing or no string; write it.");
    check(r#"{"command": " "}"#, "`command` is missing or no string; write it.");
    check(r#"{"command": ["npx"]}"#, "`command` is missing or no string; write it.");
    let remote = |more: &str, message: &str| {
        check(&format!(r#"{{"type": "http", "url": "http://x", {more}}}"#), message);
    };
    remote(r#""headersHelper": 1"#, "`headersHelper` is missing or no string; write it.");
    remote(r#""oauth": true"#, "`oauth` must be an object.");
    remote(r#""oauth": {"clientId": 5}"#, "`oauth.clientId` must be a text.");
    let port = "`oauth.callbackPort` must be a number from 1 to 65535.";
    remote(r#""oauth": {"callbackPort": 70000}"#, port);
    remote(r#""oauth": {"callbackPort": 0}"#, port);
    let address = "`oauth.authServerMetadataUrl` must be an address.";
    remote(r#""oauth": {"authServerMetadataUrl": "x"}"#, address);
    check(r#"{"command": "x", "args": "y"}"#, "`args` must be a list of strings.");
    check(r#"{"command": "x", "args": [1]}"#, "`args` must be a list of strings.");
    check(r#"{"command": "x", "env": {"A": 1}}"#, "`env` must be an object of strings.");
    check(r#"{"url": "http://x"}"#, "A `url` needs a `type`: write \"http\", \"sse\" or \"ws\".");
    check(r#"{"type": "http"}"#, "`url` is missing or no string; write it.");
    check(
        r#"{"type": "http", "url": "file:///etc"}"#,
        "`url` must begin with http:// or https://.",
    );
    check(r#"{"type": "ws", "url": "http://x"}"#, "`url` must begin with ws:// or wss://.");
    check(
        r#"{"type": "http", "url": "http://x", "headers": []}"#,
        "`headers` must be an object of strings.",
    );
    check(
        r#"{"type": "tcp\n", "url": "x"}"#,
        "There is no type `tcp\\n`; write stdio, http, sse, ws or sdk.",
    );
    check(r#"{"type": 1}"#, "`type` must be a string.");
}

#[test]
fn a_text_that_is_no_configuration_is_a_problem() {
    check("{}", "");
    check(r#"{"mcpServers": {}}"#, "");
    check("[]", "! -: The text is no JSON object; write {\"mcpServers\": {…}}.");
    check(r#"{"servers": {}}"#, "! -: There is no `mcpServers`; put the servers under that key.");
    check(
        r#"{"mcpServers": []}"#,
        "! -: `mcpServers` must be an object of servers by their names.",
    );
    let (configs, problems) = parse_config("{", Scope::User);
    assert!(configs.is_empty() && problems[0].message.contains("not valid JSON"));
}

#[test]
fn names_that_mislead_are_refused_and_the_others_stay() {
    let names = ["a b", "a.b", "../x", "a\\u0007", "é", "IDE", "Claude Preview", "ok"];
    let servers = names.map(|name| format!(r#""{name}": {{"command": "x"}}"#)).join(",");
    check(
        &format!(r#"{{"mcpServers": {{{servers}}}}}"#),
        "a b: project stdio x []\n\
         ok: project stdio x []\n\
         ! a.b: Its tools would be named like those of `a b`; rename it.\n\
         ! ../x: A server's name must not hold `..` or control characters; rename it.\n\
         ! a\u{7}: A server's name must not hold `..` or control characters; rename it.\n\
         ! é: A server's name needs a letter or digit; rename it.\n\
         ! IDE: This name is reserved; rename the server.\n\
         ! Claude Preview: This name is reserved; rename the server.",
    );
}

#[test]
fn variables_are_put_in_on_demand() {
    let env = [("BIN", "/opt/x"), ("KEY", "secret"), ("BASE", "ftp://x")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let check = |server: &str, expect: &str| {
        let json = format!(r#"{{"mcpServers": {{"s": {server}}}}}"#);
        let (configs, problems) = parse_config(&json, Scope::User);
        assert_eq!(problems, [], "{server}");
        let (expanded, problems) = configs[0].expand(&env);
        assert_eq!(show(&[expanded], &problems), expect, "{server}");
    };
    check(
        r#"{"command": "${BIN}/run", "args": ["${KEY}", "${NO:-d}"], "env": {"${KEY}": "${KEY}"}}"#,
        r#"s: user stdio /opt/x/run ["secret", "d"] ${KEY}=secret"#,
    );
    check(
        r#"{"command": "${NO}", "args": ["${NO}", "${ALSO}"]}"#,
        "s: user stdio ${NO} [\"${NO}\", \"${ALSO}\"]\n\
         ! s: The variable ALSO is not set; set it or write ${ALSO:-default}.\n\
         ! s: The variable NO is not set; set it or write ${NO:-default}.",
    );
    check(
        r#"{"type": "http", "url": "https://x/${KEY}", "headers": {"A": "Bearer ${KEY}"}}"#,
        "s: user http https://x/secret A=Bearer secret",
    );
    check(
        r#"{"type": "sse", "url": "${BASE}/y"}"#,
        "s: user sse ftp://x/y\n! s: `url` must begin with http:// or https://.",
    );
    check(r#"{"type": "sdk"}"#, "s: user sdk ");
}

#[test]
fn debug_output_holds_no_secrets() {
    let json = r#"{"mcpServers": {"s": {"command": "x", "args": ["hunter2"],
                   "env": {"K": "hunter2"}}}}"#;
    let (configs, _) = parse_config(json, Scope::Local);
    assert_eq!(format!("{configs:?}"), "[s (stdio, local)]");
}
