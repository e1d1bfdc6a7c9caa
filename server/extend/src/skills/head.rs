//! What the head of a skill says, field by field. One that is wrong costs what it would have given;
//! where it was to restrict, the skill is left out or kept from the model.

use agent::Effort;
use policy::Rule;
use serde_json::{Map, Value};

use super::SkillForm;
use crate::frontmatter;
use crate::memory::split_list;
use crate::settings::nearest;

/// It runs in a conversation of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fork {
    /// Which kind of agent does the work.
    pub agent: Option<String>,
    /// Nobody waits for it.
    pub background: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Another last part of its name, where a plugin brings it.
    pub name: Option<String>,
    /// What it is for: as written, else the first paragraph.
    pub description: String,
    pub when_to_use: Option<String>,
    pub argument_hint: Option<String>,
    /// Names for its arguments, in order.
    pub arguments: Vec<String>,
    /// Only people call it.
    pub not_for_model: bool,
    /// Only the model calls it.
    pub not_for_user: bool,
    /// For the turn it is used in.
    pub allowed_tools: Vec<Rule>,
    pub disallowed_tools: Vec<Rule>,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    pub fork: Option<Fork>,
    /// As in settings.
    pub hooks: Option<Value>,
    pub paths: Vec<String>,
    /// It wants a shell that is not there.
    pub no_shell: bool,
}

/// Fields that are known; those without a meaning here belong to others.
const FIELDS: [&str; 20] = [
    "name",
    "description",
    "when_to_use",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "allowed-tools",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
    "metadata",
    "license",
    "compatibility",
];

/// A description that nobody wrote is the first paragraph, as far as this.
const FIRST_WORDS: usize = 500;

/// A head being read, with its problems by line of the file.
pub(super) struct Reader<'a> {
    head: &'a str,
    fields: Map<String, Value>,
    pub(super) problems: Vec<(usize, String)>,
}

/// The head with what is wrong in it; the error when it cannot be used at all.
pub(super) fn read<'a>(
    written: &'a str,
    body: &str,
    form: SkillForm,
) -> Result<(Head, Vec<(usize, String)>), Reader<'a>> {
    let mut reader = Reader { head: written, fields: Map::new(), problems: Vec::new() };
    if !written.trim().is_empty() {
        match frontmatter::parse_at::<Map<String, Value>>(written) {
            Ok(fields) => reader.fields = fields,
            Err((line, why)) => {
                let text = format!("The head is not YAML ({why}); the skill is left out.");
                // The line of dashes comes before the head.
                reader.problems.push((line + 1, text));
                return Err(reader);
            }
        }
    }
    let Some(head) = reader.all(body, form) else { return Err(reader) };
    Ok((head, reader.problems))
}

impl Reader<'_> {
    fn all(&mut self, body: &str, form: SkillForm) -> Option<Head> {
        self.unknown();
        let description = self.text("description").unwrap_or_else(|| first_paragraph(body));
        let allowed_tools = self.rules("allowed-tools").unwrap_or_default();
        // What was to be taken away and cannot be read must not stay.
        let disallowed_tools = self.rules("disallowed-tools")?;
        let is_skill = form == SkillForm::Skill;
        Some(Head {
            name: self.text("name").filter(|_| is_skill),
            description,
            when_to_use: self.text("when_to_use"),
            argument_hint: self.text_or_list("argument-hint"),
            arguments: self.words("arguments"),
            not_for_model: self.flag("disable-model-invocation", true).unwrap_or(false),
            not_for_user: !self.flag("user-invocable", true).unwrap_or(true),
            allowed_tools,
            disallowed_tools,
            model: self.text("model").filter(|model| model != "inherit"),
            effort: self.effort(),
            fork: self.fork(),
            hooks: self.fields.get("hooks").filter(|hooks| !hooks.is_null()).cloned(),
            paths: if is_skill { self.patterns() } else { Vec::new() },
            no_shell: self.other_shell(),
        })
    }

    fn problem(&mut self, field: &str, text: String) {
        let line = self.line_of(field);
        self.problems.push((line, text));
    }

    /// The first line of a file is the dashes.
    fn line_of(&self, field: &str) -> usize {
        let is_it = |line: &str| {
            line.strip_prefix(field).is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        self.head.lines().position(is_it).map_or(1, |at| at + 2)
    }

    /// A slip of the hand is told; what others made up is theirs.
    fn unknown(&mut self) {
        let names: Vec<String> = self.fields.keys().cloned().collect();
        for name in names.iter().filter(|name| !FIELDS.contains(&name.as_str())) {
            let close = name.replace('_', "-");
            let known = FIELDS.contains(&close.as_str()).then_some(close.as_str());
            if let Some(meant) = known.or_else(|| nearest(name, &FIELDS)) {
                let text = format!("There is no field `{name}`; did you mean `{meant}`?");
                self.problem(name, text);
            }
        }
    }

    fn wrong(&mut self, field: &str, wanted: &str) {
        self.problem(field, format!("`{field}` must be {wanted}; it is not used."));
    }

    fn text(&mut self, field: &str) -> Option<String> {
        let found = match self.fields.get(field)? {
            Value::Null => return None,
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => {
                self.wrong(field, "a text");
                return None;
            }
        };
        Some(found).filter(|text| !text.is_empty())
    }

    /// `argument-hint: [issue]` is a list to YAML, and words in brackets to whoever wrote it.
    fn text_or_list(&mut self, field: &str) -> Option<String> {
        if let Some(Value::Array(_)) = self.fields.get(field) {
            let words = self.list(field)?;
            return Some(
                words.iter().map(|word| format!("[{word}]")).collect::<Vec<_>>().join(" "),
            );
        }
        self.text(field)
    }

    /// `None` when it is neither a text nor a list of them.
    fn list(&mut self, field: &str) -> Option<Vec<String>> {
        let words = match self.fields.get(field) {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::String(text)) => Some(vec![text.clone()]),
            Some(Value::Array(values)) => values
                .iter()
                .map(|value| match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                })
                .collect(),
            Some(_) => None,
        };
        if words.is_none() {
            self.wrong(field, "a text or a list of texts");
        }
        words
    }

    fn words(&mut self, field: &str) -> Vec<String> {
        let words = self.list(field).unwrap_or_default();
        let words = words.iter().flat_map(|words| words.split([' ', ',', '\t']));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// Rules in one text or in a list; `None` when some cannot be read.
    fn rules(&mut self, field: &str) -> Option<Vec<Rule>> {
        let mut rules = Vec::new();
        for text in self.list(field)? {
            match Rule::parse_list(&text) {
                Ok(more) => rules.extend(more),
                Err(error) => {
                    self.problem(field, format!("`{field}` cannot be used: {error}."));
                    return None;
                }
            }
        }
        Some(rules)
    }

    /// `unclear`: what a value that is neither yes nor no counts as.
    fn flag(&mut self, field: &str, unclear: bool) -> Option<bool> {
        let found = match self.fields.get(field)? {
            Value::Null => return None,
            Value::Bool(flag) => Some(*flag),
            Value::Number(number) if number.as_u64() == Some(1) => Some(true),
            Value::Number(number) if number.as_u64() == Some(0) => Some(false),
            Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(true),
                "false" | "no" | "off" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        };
        if found.is_none() {
            let counts = if unclear { "yes" } else { "no" };
            let text = format!("`{field}` must be true or false; it counts as {counts}.");
            self.problem(field, text);
        }
        Some(found.unwrap_or(unclear))
    }

    fn effort(&mut self) -> Option<Effort> {
        let word = self.text("effort")?;
        let effort = Effort::parse(&word.to_ascii_lowercase());
        if effort.is_none() {
            self.wrong("effort", &format!("one of {}", Effort::ALL.map(Effort::name).join(", ")));
        }
        effort
    }

    fn fork(&mut self) -> Option<Fork> {
        let agent = self.text("agent");
        let background = self.flag("background", true).unwrap_or(true);
        match self.text("context").as_deref() {
            Some("fork") => Some(Fork { agent, background }),
            None | Some("inline") => None,
            Some(_) => {
                self.wrong("context", "`fork` or `inline`");
                None
            }
        }
    }

    fn patterns(&mut self) -> Vec<String> {
        let written = self.list("paths").unwrap_or_default();
        written.iter().flat_map(|list| split_list(list)).collect()
    }

    fn other_shell(&mut self) -> bool {
        let other = self.text("shell").is_some_and(|shell| shell != "bash");
        if other {
            let text = "`shell` must be `bash` here; commands in the text will fail.";
            self.problem("shell", text.to_owned());
        }
        other
    }
}

/// The first words that are not a heading.
fn first_paragraph(body: &str) -> String {
    let lines = body.lines().map(str::trim);
    let lines = lines.skip_while(|line| line.is_empty() || line.starts_with('#'));
    let words = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    words.chars().take(FIRST_WORDS).collect()
}
