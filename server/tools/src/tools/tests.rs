//! What the model is told about the tools.

use super::all;
use serde_json::Value;

#[test]
fn every_tool_explains_itself_and_its_input() {
    let check = |tool: &Value, name: &str, fields: &[&str], required: &[&str]| {
        assert_eq!(tool["name"], name);
        assert!(tool["description"].as_str().unwrap().len() > 100, "{tool}");
        let schema = &tool["input_schema"];
        assert_eq!(schema["type"], "object");
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), fields, "{name}");
        assert_eq!(*schema["required"].as_array().unwrap(), required, "{name}");
        for (field, about) in properties {
            assert!(about["description"].is_string(), "{name} {field}: {about}");
        }
    };
    let tools: Vec<Value> = all().iter().map(|tool| tool.definition()).collect();
    assert_eq!(tools.len(), 9);
    let file = "file_path";
    check(&tools[0], "Read", &[file, "offset", "limit"], &[file]);
    let edit = [file, "old_string", "new_string", "replace_all", "edits"];
    check(&tools[1], "Edit", &edit, &[file]);
    check(&tools[2], "Write", &[file, "content"], &[file, "content"]);
    let notebook = ["notebook_path", "new_source", "cell_id", "cell_type", "edit_mode"];
    check(&tools[3], "NotebookEdit", &notebook, &["notebook_path"]);
    check(&tools[4], "Glob", &["pattern", "path"], &["pattern"]);
    let grep = [
        "pattern",
        "path",
        "glob",
        "output_mode",
        "-B",
        "-A",
        "-C",
        "context",
        "-n",
        "-i",
        "-o",
        "type",
        "head_limit",
        "offset",
        "multiline",
    ];
    check(&tools[5], "Grep", &grep, &["pattern"]);
    let ask = ["operation", file, "line", "symbol", "column", "new_name", "query"];
    check(&tools[6], "LanguageServer", &ask, &["operation", file]);
    check(
        &tools[7],
        "Bash",
        &["command", "timeout", "description", "dangerouslyDisableSandbox"],
        &["command"],
    );
    check(&tools[8], "TodoWrite", &["todos"], &["todos"]);
}
