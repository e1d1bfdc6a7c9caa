//! The JSON schema that a headless run may ask its answer to follow.

mod validate;

use std::sync::Arc;

use agent::turn::AnswerCheck;
use serde_json::Value;

/// No error is told in more words.
const LONGEST_PROBLEM: usize = 500;

#[derive(Clone, Debug)]
pub struct AnswerSchema {
    json: Arc<str>,
    schema: Arc<Value>,
}

impl AnswerSchema {
    /// From the text of `--json-schema`.
    pub fn parse(json: &str) -> Result<Self, String> {
        let schema: Value =
            serde_json::from_str(json).map_err(|error| format!("it is not JSON ({error})"))?;
        if !schema.is_object() {
            return Err("it is not an object".to_owned());
        }
        validate::check_schema(&schema)?;
        Ok(Self { json: schema.to_string().into(), schema: Arc::new(schema) })
    }

    pub fn json(&self) -> Arc<str> {
        self.json.clone()
    }

    /// The value that an answer holds, or what is wrong with it.
    pub fn read(&self, answer: &str) -> Result<Value, String> {
        let value: Value = serde_json::from_str(unfenced(answer))
            .map_err(|error| format!("the answer is not JSON ({error})"))?;
        let checked = validate::Look::new(&self.schema).at(&self.schema, &value, "");
        checked.map(|()| value).map_err(|mut problem| {
            problem.truncate(problem.floor_char_boundary(LONGEST_PROBLEM));
            problem
        })
    }

    pub(super) fn check(&self) -> AnswerCheck {
        let schema = self.clone();
        Arc::new(move |answer| schema.read(answer).map(|_| ()))
    }

    /// What the model is told with the prompt; not every provider holds it to the schema.
    pub(super) fn instruction(&self) -> String {
        format!(
            "The last message of your answer must be one JSON value that follows this JSON schema, \
             without any other text around it: {}",
            self.json
        )
    }
}

/// Models like to put JSON between fences.
fn unfenced(answer: &str) -> &str {
    let answer = answer.trim();
    let inner = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(answer, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_and_without_fences() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
        let schema = AnswerSchema::parse(schema).unwrap();
        assert_eq!(schema.read(" {\"n\": 1}\n").unwrap()["n"], 1);
        assert_eq!(schema.read("```json\n{\"n\": 2}\n```").unwrap()["n"], 2);
        assert!(schema.read("{\"n\": \"x\"}").unwrap_err().contains("/n"));
        assert!(schema.read("{}").unwrap_err().contains("\"n\""));
        assert!(schema.read("no").unwrap_err().contains("not JSON"));
        assert!(AnswerSchema::parse("{\"type\": 5}").is_err());
        assert!(AnswerSchema::parse("{\"if\": {}}").unwrap_err().contains("`if`"));
        assert!(AnswerSchema::parse("[]").is_err() && AnswerSchema::parse("{").is_err());
    }

    #[test]
    fn the_words_of_a_schema() {
        let check = |schema: &str, fits: &[&str], fits_not: &[&str]| {
            let schema = AnswerSchema::parse(schema).unwrap();
            for value in fits {
                assert_eq!(schema.read(value).map(|_| ()), Ok(()), "{value}");
            }
            for value in fits_not {
                assert!(schema.read(value).is_err(), "{value}");
            }
        };
        check(r#"{"type":["string","null"]}"#, &["null", "\"a\""], &["1", "{}"]);
        check(
            r#"{"type":"integer","minimum":1,"multipleOf":2}"#,
            &["2", "4.0"],
            &["0", "3", "2.5"],
        );
        check(r#"{"enum":[1,"a"]}"#, &["1.0", "\"a\""], &["2"]);
        check(r#"{"const":null}"#, &["null"], &["0"]);
        check(r#"{"minLength":2,"pattern":"^a"}"#, &["\"aü\"", "1"], &["\"a\"", "\"ba\""]);
        check(
            r#"{"items":{"type":"number"},"maxItems":2,"uniqueItems":true}"#,
            &["[1,2]"],
            &["[1,1]", "[1,2,3]", "[\"\"]"],
        );
        check(
            r#"{"prefixItems":[{"type":"null"}],"items":false}"#,
            &["[null]", "[]"],
            &["[1]", "[null,1]"],
        );
        check(
            r#"{"properties":{"a":{}},"additionalProperties":false}"#,
            &["{\"a\":1}"],
            &["{\"b\":1}"],
        );
        check(r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#, &["null"], &["1"]);
        check(r#"{"oneOf":[{"type":"number"},{"type":"integer"}]}"#, &["1.5"], &["1"]);
        check(r#"{"not":{"type":"null"}}"#, &["1"], &["null"]);
        let tree =
            r##"{"$ref":"#/$defs/t","$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}}"##;
        check(tree, &["[[],[[]]]"], &["[1]", "[[null]]"]);
        check(r##"{"$ref":"#"}"##, &[], &["1"]);
    }
}
