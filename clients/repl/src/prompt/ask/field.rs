//! One thing that is asked: a question with choices, or a property of a flat form.

use protocol::ask::{AskParams, Question};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
}

#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub label: String,
    pub description: String,
}

#[derive(Debug, Clone)]
pub(super) struct Field {
    pub id: String,
    pub text: String,
    pub options: Vec<Choice>,
    pub multi: bool,
    /// An answer beside the choices is welcome.
    pub free: bool,
    required: bool,
    kind: Kind,
}

impl Field {
    /// The answer that a written text stands for; `None` when the field is left out.
    pub fn value_of_text(&self, text: &str) -> Result<Option<Value>, String> {
        let text = text.trim();
        if text.is_empty() {
            return if self.required { Err("Please write an answer.".into()) } else { Ok(None) };
        }
        match self.kind {
            Kind::Text | Kind::Boolean => Ok(Some(Value::from(text))),
            Kind::Integer => match text.parse::<i64>() {
                Ok(number) => Ok(Some(Value::from(number))),
                Err(_) => Err(format!("`{text}` is not a whole number.")),
            },
            Kind::Number => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(Value::from(number))),
                _ => Err(format!("`{text}` is not a number.")),
            },
        }
    }

    pub fn value_of_choice(&self, at: usize) -> Value {
        if self.kind == Kind::Boolean {
            return Value::from(at == 0);
        }
        self.options.get(at).map_or(Value::Null, |option| Value::from(option.label.as_str()))
    }
}

/// Everything a request asks, in order. A link asks nothing.
pub(super) fn fields(request: &AskParams) -> Vec<Field> {
    if let Some(questions) = &request.questions {
        return questions.iter().map(of_question).collect();
    }
    let Some(form) = &request.form else { return Vec::new() };
    let required: Vec<&str> = form
        .schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = form.schema.get("properties").and_then(Value::as_object);
    let of = |(name, schema): (&String, &Value)| {
        of_property(name, schema, required.contains(&name.as_str()))
    };
    properties.map(|all: &Map<String, Value>| all.iter().map(of).collect()).unwrap_or_default()
}

fn of_question(question: &Question) -> Field {
    let options = question.options.iter().map(|option| Choice {
        label: option.label.clone(),
        description: option.description.clone().unwrap_or_default(),
    });
    Field {
        id: question.id.clone(),
        text: question.text.clone(),
        options: options.collect(),
        multi: question.multi_select.unwrap_or(false),
        free: question.free_text.unwrap_or(false) && !question.options.is_empty(),
        required: true,
        kind: Kind::Text,
    }
}

fn of_property(name: &str, schema: &Value, required: bool) -> Field {
    let text_of = |key: &str| schema.get(key).and_then(Value::as_str);
    let kind = match text_of("type") {
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("boolean") => Kind::Boolean,
        _ => Kind::Text,
    };
    let labels: Vec<String> = match (kind, schema.get("enum").and_then(Value::as_array)) {
        (Kind::Boolean, _) => vec!["Yes".into(), "No".into()],
        (_, Some(values)) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let mut text = text_of("title").unwrap_or(name).to_owned();
    if let Some(description) = text_of("description") {
        text = format!("{text}: {description}");
    }
    if !required {
        text.push_str(" (optional)");
    }
    let choice = |label| Choice { label, description: String::new() };
    Field {
        id: name.to_owned(),
        text,
        options: labels.into_iter().map(choice).collect(),
        multi: false,
        free: false,
        required,
        kind,
    }
}
