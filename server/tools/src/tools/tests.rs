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
    assert_eq!(tools.len(), 7);
    let file = "file_path";
    check(&tools[0], "Read", &[file, "offset", "limit"], &[file]);
    let edit = ["old_string", "new_string"];
    check(&tools[1], "Edit", &[file, edit[0], edit[1], "replace_all"], &[file, edit[0], edit[1]]);
    check(&tools[2], "Write", &[file, "content"], &[file, "content"]);
    check(&tools[3], "Glob", &["pattern", "path"], &["pattern"]);
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
    check(&tools[4], "Grep", &grep, &["pattern"]);
    check(&tools[5], "Bash", &["command", "timeout", "description"], &["command"]);
    check(&tools[6], "TodoWrite", &["todos"], &["todos"]);
}
