//! What the model is told about the tools.

use super::all;
use serde_json::Value;

#[track_caller]
fn check(tool: &Value, name: &str, fields: &[&str], required: &[&str]) {
    assert_eq!(tool["name"], name);
    assert!(tool["description"].as_str().unwrap().len() > 100, "{tool}");
    let schema = &tool["input_schema"];
    assert_eq!(schema["type"], "object");
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    assert_eq!(properties.keys().collect::<Vec<_>>(), fields, "{name}");
    let needed = schema["required"].as_array().cloned().unwrap_or_default();
    assert_eq!(needed, required, "{name}");
    for (field, about) in properties {
        assert!(about["description"].is_string(), "{name} {field}: {about}");
    }
}

#[rustfmt::skip]
const GREP: [&str; 15] = [
    "pattern", "path", "glob", "output_mode", "-B", "-A", "-C", "context", "-n", "-i", "-o",
    "type", "head_limit", "offset", "multiline",
];
#[rustfmt::skip]
const TASK_UPDATE: [&str; 9] = [
    "taskId", "subject", "description", "activeForm", "status", "addBlocks", "addBlockedBy",
    "owner", "metadata",
];

#[test]
fn every_tool_explains_itself_and_its_input() {
    let tools: Vec<Value> = all().iter().map(|tool| tool.definition()).collect();
    assert_eq!(tools.len(), 29);
    let file = "file_path";
    check(&tools[0], "Read", &[file, "offset", "limit", "pages"], &[file]);
    let edit = [file, "old_string", "new_string", "replace_all", "edits"];
    check(&tools[1], "Edit", &edit, &[file]);
    check(&tools[2], "Write", &[file, "content"], &[file, "content"]);
    let notebook = ["notebook_path", "new_source", "cell_id", "cell_type", "edit_mode"];
    check(&tools[3], "NotebookEdit", &notebook, &["notebook_path"]);
    check(&tools[4], "Glob", &["pattern", "path"], &["pattern"]);
    check(&tools[5], "Grep", &GREP, &["pattern"]);
    let ask = ["operation", file, "line", "symbol", "column", "new_name", "query"];
    check(&tools[6], "LanguageServer", &ask, &["operation", file]);
    check(
        &tools[7],
        "Bash",
        &["command", "timeout", "description", "run_in_background", "dangerouslyDisableSandbox"],
        &["command"],
    );
    check(&tools[8], "TaskStop", &["task_id"], &["task_id"]);
    check(&tools[9], "TodoWrite", &["todos"], &["todos"]);
    let new = ["subject", "description", "activeForm", "metadata"];
    check(&tools[10], "TaskCreate", &new, &new[..2]);
    check(&tools[11], "TaskUpdate", &TASK_UPDATE, &["taskId"]);
    check(&tools[12], "TaskGet", &["taskId"], &["taskId"]);
    check(&tools[13], "TaskList", &[], &[]);
    check(&tools[14], "WebFetch", &["url", "prompt", "offset"], &["url", "prompt"]);
    let search = ["query", "allowed_domains", "blocked_domains"];
    check(&tools[15], "WebSearch", &search, &["query"]);
    check(&tools[16], "AskUserQuestion", &["questions"], &["questions"]);
    check(&tools[17], "Skill", &["skill", "args"], &["skill"]);
    check(&tools[18], "EnterPlanMode", &[], &[]);
    check(&tools[19], "ExitPlanMode", &["plan"], &[]);
    let monitor = ["command", "description", "timeout_ms"];
    check(&tools[20], "Monitor", &monitor, &["command", "description"]);
    check(&tools[21], "Sleep", &["duration_ms"], &["duration_ms"]);
    check(&tools[22], "CronCreate", &["cron", "prompt", "recurring"], &["cron", "prompt"]);
    check(&tools[23], "CronDelete", &["id"], &["id"]);
    check(&tools[24], "CronList", &[], &[]);
    let agent = [
        "description",
        "prompt",
        "subagent_type",
        "model",
        "effort",
        "run_in_background",
        "name",
        "isolation",
    ];
    check(&tools[25], "Agent", &agent, &agent[..2]);
    check(&tools[26], "SendMessage", &["to", "message"], &["to", "message"]);
    check(&tools[27], "ListAgents", &[], &[]);
    check(&tools[28], "ToolSearch", &["query", "max_results"], &["query"]);
}
