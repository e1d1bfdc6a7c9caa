//! Questions of the model to the user: hosts answer them like a question for permission, with the
//! answers in the input.

use std::collections::BTreeMap;

use protocol::ask::{AskAction, AskParams, AskResult, Question};
use serde_json::{Value, json};

const TOOL: &str = "AskUserQuestion";

pub(super) fn request(params: &AskParams) -> Value {
    let questions: Vec<Value> = params.questions.iter().flatten().map(question).collect();
    let call = params.request_id.rsplit(':').next().unwrap_or_default();
    json!({
        "subtype": "can_use_tool",
        "tool_name": TOOL,
        "display_name": TOOL,
        "input": { "questions": questions },
        "tool_use_id": call,
        "permission_suggestions": [],
        "requires_user_interaction": true,
    })
}

fn question(question: &Question) -> Value {
    let options: Vec<Value> = question
        .options
        .iter()
        .map(|choice| {
            json!({
                "label": choice.label,
                "description": choice.description.clone().unwrap_or_default(),
            })
        })
        .collect();
    json!({
        "question": question.text,
        "header": question.header.clone().unwrap_or_default(),
        "options": options,
        "multiSelect": question.multi_select.unwrap_or(false),
    })
}

/// The host names questions by their text.
pub(super) fn answer(params: &AskParams, answer: Result<Value, String>) -> AskResult {
    let answer = answer.unwrap_or_default();
    if answer["behavior"] != "allow" {
        return AskResult { action: AskAction::Decline, content: None };
    }
    let answers = &answer["updatedInput"]["answers"];
    let mut content = BTreeMap::new();
    for question in params.questions.iter().flatten() {
        let given = &answers[question.text.as_str()];
        let several = question.multi_select == Some(true);
        let value = match given {
            Value::String(text) if several => {
                text.split(", ").map(|one| Value::from(one.to_owned())).collect()
            }
            Value::Null => continue,
            given => given.clone(),
        };
        content.insert(question.id.clone(), value);
    }
    let action = if content.is_empty() { AskAction::Decline } else { AskAction::Accept };
    AskResult { action, content: Some(content) }
}

#[cfg(test)]
mod tests {
    use protocol::ask::Choice;

    use super::*;

    #[test]
    fn answers_by_the_words_of_the_question() {
        let question = |id: &str, text: &str, several: bool| Question {
            id: id.into(),
            header: None,
            text: text.into(),
            options: vec![Choice { label: "A".into(), description: None }],
            multi_select: Some(several),
            free_text: None,
        };
        let params = AskParams {
            request_id: "ask:s:call_1".into(),
            session_id: "s".into(),
            message: None,
            questions: Some(vec![question("q1", "Which?", false), question("q2", "Some?", true)]),
            form: None,
            url: None,
        };
        assert_eq!(request(&params)["tool_use_id"], "call_1");
        let given = json!({
            "behavior": "allow",
            "updatedInput": { "answers": { "Which?": "A", "Some?": "A, B" } },
        });
        let result = answer(&params, Ok(given));
        assert_eq!(result.action, AskAction::Accept);
        let content = result.content.unwrap();
        assert_eq!(content["q1"], "A");
        assert_eq!(content["q2"], json!(["A", "B"]));
        assert_eq!(answer(&params, Err("no".into())).action, AskAction::Decline);
        assert_eq!(answer(&params, Ok(json!({ "behavior": "allow" }))).action, AskAction::Decline);
    }
}
