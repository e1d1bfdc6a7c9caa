//! What a server asks us, and what it gets.

use serde_json::{Value, json};
use workspace::DocumentUri;

use super::capabilities::folders;

const METHOD_NOT_FOUND: i32 = -32601;

/// The answer to a request of a server, as the rest of a response: `result` or `error`.
pub(super) fn answer(method: &str, params: &Value, settings: &Value, root: &DocumentUri) -> Value {
    match method {
        "workspace/configuration" => json!({ "result": configuration(params, settings) }),
        "workspace/workspaceFolders" => json!({ "result": folders(root) }),
        // Acknowledged and forgotten: nothing that can be registered changes what we do.
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "workspace/diagnostic/refresh" => json!({ "result": null }),
        // Nobody is there to choose.
        "window/showMessageRequest" => json!({ "result": null }),
        // What the agent changes, it changes itself, with permission.
        "workspace/applyEdit" => json!({
            "result": { "applied": false, "failureReason": "this client changes no files" }
        }),
        _ => json!({
            "error": { "code": METHOD_NOT_FOUND, "message": "this client does not do that" }
        }),
    }
}

/// One value for each item: the part of the settings it names by keys with dots in between.
fn configuration(params: &Value, settings: &Value) -> Value {
    let items = params.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let value = |item: &Value| {
        let section = item.get("section").and_then(Value::as_str).unwrap_or_default();
        let keys = section.split('.').filter(|key| !key.is_empty());
        let found = keys.into_iter().try_fold(settings, |value, key| value.get(key));
        found.cloned().unwrap_or_default()
    };
    items.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(method: &str, params: &Value) -> Value {
        let settings = json!({ "python": { "analysis": { "mode": "strict" } }, "x": 1 });
        answer(method, params, &settings, &DocumentUri::new("file:///w/app"))
    }

    #[test]
    fn settings_are_given_by_their_section() {
        let check = |items: Value, expect: Value| {
            let params = json!({ "items": items });
            assert_eq!(ask("workspace/configuration", &params), json!({ "result": expect }));
        };
        check(json!([{ "section": "x" }]), json!([1]));
        check(
            json!([{ "section": "python.analysis", "scopeUri": "file:///w" }, { "section": "y.z" }]),
            json!([{ "mode": "strict" }, null]),
        );
        let all = json!({ "python": { "analysis": { "mode": "strict" } }, "x": 1 });
        check(json!([{}, 5]), json!([all, all]));
        check(json!([]), json!([]));
        check(json!("nonsense"), json!([]));
    }

    #[test]
    fn everything_else_has_an_answer_too() {
        let check = |method: &str, expect: Value| assert_eq!(ask(method, &Value::Null), expect);
        let nothing = json!({ "result": null });
        check("client/registerCapability", nothing.clone());
        check("client/unregisterCapability", nothing.clone());
        check("window/workDoneProgress/create", nothing.clone());
        check("workspace/diagnostic/refresh", nothing.clone());
        check("window/showMessageRequest", nothing);
        let folder = json!([{ "uri": "file:///w/app", "name": "app" }]);
        check("workspace/workspaceFolders", json!({ "result": folder }));
        assert_eq!(ask("workspace/applyEdit", &json!({}))["result"]["applied"], false);
        for method in ["workspace/semanticTokens/refresh", "made/up", ""] {
            assert_eq!(ask(method, &Value::Null)["error"]["code"], METHOD_NOT_FOUND);
        }
    }
}
