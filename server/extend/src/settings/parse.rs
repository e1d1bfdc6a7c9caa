//! One settings file: its text becomes values and problems.
//!
//! Comments and trailing commas are fine, unknown keys belong to others. What was meant to restrict
//! and cannot be understood makes the file `broken`, which the merge answers with strictness.

use std::collections::BTreeMap;

use jsonc_parser::ast::{Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use policy::{Behavior, Mode, Rule, RuleError};

use super::{LanguageServerSetting, SaveBeforeCommands, language_servers, spelling};

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Located<T> {
    pub(super) at: At,
    pub(super) value: T,
}

#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) rules: Vec<Located<(Behavior, Rule)>>,
    pub(super) mode: Option<Located<Mode>>,
    pub(super) directories: Vec<Located<String>>,
    pub(super) model: Option<String>,
    pub(super) max_turns: Option<u32>,
    pub(super) fast_model: Option<String>,
    pub(super) save_before_commands: Option<SaveBeforeCommands>,
    pub(super) language_servers: Vec<LanguageServerSetting>,
    pub(super) env: Option<Located<BTreeMap<String, String>>>,
    /// `{"mcpServers": …}` as plain JSON.
    pub(super) mcp: Option<String>,
    pub(super) problems: Vec<(Option<At>, String)>,
    /// Something that may have restricted was lost.
    pub(super) broken: bool,
}

const KEYS: [&str; 8] = [
    "permissions",
    "model",
    "fastModel",
    "env",
    "maxTurns",
    "mcpServers",
    "languageServers",
    "saveBeforeCommands",
];
const PERMISSION_KEYS: [&str; 5] = ["allow", "ask", "deny", "defaultMode", "additionalDirectories"];
/// Losing one of these loses a restriction.
const STRICT_KEYS: [&str; 4] = ["permissions", "ask", "deny", "defaultMode"];

/// What a broken file means, as the end of a sentence.
pub(super) const CONSEQUENCE: &str =
    "until then its allow rules are not used and no mode looser than `default` applies";

pub(super) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

pub(super) fn parse(text: &str) -> Parsed {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, parsed: Parsed::default() };
    match parse_to_ast(text, &CollectOptions::default(), &options()) {
        Ok(result) => match result.value {
            Some(Value::Object(root)) => reader.root(&root),
            Some(other) => reader.broken(
                other.start(),
                format!("Settings must be an object in braces; write it as one, {CONSEQUENCE}."),
            ),
            None => reader
                .broken(0, format!("The file is empty; write `{{}}` or delete it, {CONSEQUENCE}.")),
        },
        Err(error) => {
            let what = error.kind().to_string().to_lowercase();
            let message = format!("This is not valid JSON ({what}); mend it here, {CONSEQUENCE}.");
            reader.broken(error.range().start, message);
        }
    }
    reader.parsed
}

/// The file as plain JSON, without comments; for `.mcp.json`.
pub(super) fn plain(text: &str) -> Result<String, (At, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse_to_serde_value::<serde_json::Value>(text, &options())
        .map(|value| value.to_string())
        .map_err(|error| {
            let what = error.kind().to_string().to_lowercase();
            let message = format!(
                "This is not valid JSON ({what}); mend it here, until then no MCP server of this \
                 file is known."
            );
            (at(text, error.range().start), message)
        })
}

pub(super) fn at(text: &str, offset: usize) -> At {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    At { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}

struct Reader<'a> {
    text: &'a str,
    parsed: Parsed,
}

impl Reader<'_> {
    fn problem(&mut self, offset: usize, message: String) {
        self.parsed.problems.push((Some(at(self.text, offset)), message));
    }

    fn broken(&mut self, offset: usize, message: String) {
        self.parsed.broken = true;
        self.problem(offset, message);
    }

    /// A value of the wrong type; the file is broken when the key was there to restrict.
    fn wrong_type(&mut self, key: &str, value: &Value<'_>, wanted: &str) {
        let strict = STRICT_KEYS.contains(&key);
        let message = format!(
            "`{key}` must be {wanted}, but it is {}; write it as one{}.",
            kind(value),
            if strict { format!(", {CONSEQUENCE}") } else { String::new() }
        );
        match strict {
            true => self.broken(value.start(), message),
            false => self.problem(value.start(), message),
        }
    }

    fn root(&mut self, root: &Object<'_>) {
        for property in &root.properties {
            let value = &property.value;
            match property.name.as_str() {
                "permissions" => match value {
                    Value::Object(permissions) => self.permissions(permissions),
                    other => self.wrong_type("permissions", other, "an object"),
                },
                "model" => match value {
                    Value::StringLit(model) => self.parsed.model = Some(model.value.to_string()),
                    other => self.wrong_type("model", other, "the name of a model in quotes"),
                },
                "fastModel" => match value {
                    Value::StringLit(model) => {
                        self.parsed.fast_model = Some(model.value.to_string());
                    }
                    other => self.wrong_type("fastModel", other, "the name of a model in quotes"),
                },
                "saveBeforeCommands" => self.save_before_commands(value),
                "languageServers" => match value {
                    Value::Object(servers) => self.language_servers(servers),
                    other => self.wrong_type("languageServers", other, "an object"),
                },
                "maxTurns" => match value {
                    Value::NumberLit(number)
                        if number.value.parse::<u32>().is_ok_and(|n| n > 0) =>
                    {
                        self.parsed.max_turns = number.value.parse().ok();
                    }
                    other => self.wrong_type("maxTurns", other, "a whole number from 1 up"),
                },
                "env" => match value {
                    Value::Object(env) => self.env(env),
                    other => self.wrong_type("env", other, "an object of strings"),
                },
                "mcpServers" => match value {
                    Value::Object(_) => self.mcp_servers(value),
                    other => self.wrong_type("mcpServers", other, "an object"),
                },
                _ => self.unknown(property, &KEYS),
            }
        }
    }

    fn permissions(&mut self, permissions: &Object<'_>) {
        for property in &permissions.properties {
            let value = &property.value;
            match property.name.as_str() {
                "allow" => self.rules("allow", Behavior::Allow, value),
                "ask" => self.rules("ask", Behavior::Ask, value),
                "deny" => self.rules("deny", Behavior::Deny, value),
                "defaultMode" => match value {
                    Value::StringLit(name) => self.mode(name),
                    other => self.wrong_type("defaultMode", other, "the name of a mode in quotes"),
                },
                "additionalDirectories" => {
                    for path in self.strings("additionalDirectories", value) {
                        let at = at(self.text, path.start());
                        let value = path.value.to_string();
                        self.parsed.directories.push(Located { at, value });
                    }
                }
                _ => self.unknown(property, &PERMISSION_KEYS),
            }
        }
    }

    fn rules(&mut self, key: &str, behavior: Behavior, value: &Value<'_>) {
        for text in self.strings(key, value) {
            let at = at(self.text, text.start());
            match text.value.parse::<Rule>() {
                Ok(rule) => self.parsed.rules.push(Located { at, value: (behavior, rule) }),
                Err(error) if behavior == Behavior::Allow => {
                    self.problem(text.start(), format!("This allow rule is not used: {error}."));
                }
                Err(error) => {
                    let stand_in = stand_in(&text.value, &error);
                    let instead =
                        stand_in.as_ref().map_or(String::new(), |rule| match rule.tool() {
                            "*" => ", and every call asks".to_owned(),
                            tool => format!(", and every call of {tool} asks"),
                        });
                    let message =
                        format!("This {key} rule cannot be used: {error}; {CONSEQUENCE}{instead}.");
                    self.broken(text.start(), message);
                    let asks = stand_in.map(|rule| Located { at, value: (Behavior::Ask, rule) });
                    self.parsed.rules.extend(asks);
                }
            }
        }
    }

    /// The strings of a list; anything else in it is a problem.
    fn strings<'b, 'c>(&mut self, key: &str, value: &'b Value<'c>) -> Vec<&'b StringLit<'c>> {
        let Value::Array(array) = value else {
            self.wrong_type(key, value, "a list of strings");
            return Vec::new();
        };
        let mut strings = Vec::new();
        for element in &array.elements {
            match element {
                Value::StringLit(string) => strings.push(string),
                other => self.wrong_type(key, other, "a list of nothing but strings"),
            }
        }
        strings
    }

    /// A mode that does not exist counts as `default`: whatever it was meant to be, a looser one
    /// from a weaker file must not take its place.
    fn mode(&mut self, name: &StringLit<'_>) {
        let mode = match &*name.value {
            "manual" => Mode::Default,
            known => known.parse().unwrap_or_else(|error| {
                let names = Mode::ALL.map(Mode::name);
                let meant = spelling::nearest(known, &names)
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                self.problem(
                    name.start(),
                    format!("{}{meant}; until then it is `default`.", capital(&format!("{error}"))),
                );
                Mode::Default
            }),
        };
        self.parsed.mode = Some(Located { at: at(self.text, name.start()), value: mode });
    }

    fn env(&mut self, env: &Object<'_>) {
        let mut variables = BTreeMap::new();
        for property in &env.properties {
            let name = property.name.as_str();
            match &property.value {
                Value::StringLit(value) if is_variable(name, &value.value) => {
                    variables.insert(name.to_owned(), value.value.to_string());
                }
                Value::StringLit(_) => {
                    let message = format!(
                        "`env` cannot set `{}`: a name must not be empty or hold `=`, and nothing \
                         may hold a NUL; rename it.",
                        name.escape_debug()
                    );
                    self.problem(property.start(), message);
                }
                other => self.wrong_type(&format!("env.{name}"), other, "a string in quotes"),
            }
        }
        let located = Located { at: at(self.text, env.start()), value: variables };
        self.parsed.env = Some(located);
    }

    /// A value that does not exist counts as `ask`: whatever it was meant to be, nothing is saved
    /// behind the user's back.
    fn save_before_commands(&mut self, value: &Value<'_>) {
        let known = match value {
            Value::StringLit(name) => SaveBeforeCommands::from_name(&name.value),
            _ => None,
        };
        if known.is_none() {
            let message = "`saveBeforeCommands` must be \"save\", \"ask\" or \"never\"; until then \
                           it is `ask`.";
            self.problem(value.start(), message.to_owned());
        }
        self.parsed.save_before_commands = Some(known.unwrap_or(SaveBeforeCommands::Ask));
    }

    fn language_servers(&mut self, servers: &Object<'_>) {
        let found = language_servers::read(self.text, servers);
        self.parsed.language_servers = found.servers;
        let problems = found.problems.into_iter();
        self.parsed.problems.extend(problems.map(|(at, message)| (Some(at), message)));
    }

    fn mcp_servers(&mut self, value: &Value<'_>) {
        let servers = parse_to_serde_value::<serde_json::Value>(value.text(self.text), &options());
        if let Ok(servers) = servers {
            self.parsed.mcp = Some(serde_json::json!({ "mcpServers": servers }).to_string());
        }
    }

    fn unknown(&mut self, property: &ObjectProp<'_>, known: &[&'static str]) {
        let name = property.name.as_str();
        let Some(near) = spelling::nearest(name, known) else { return };
        let name = name.escape_debug();
        if STRICT_KEYS.contains(&near) {
            let message = format!("There is no key `{name}`; write `{near}`, {CONSEQUENCE}.");
            self.broken(property.start(), message);
        } else {
            let message = format!("There is no key `{name}`, so it is ignored; write `{near}`.");
            self.problem(property.start(), message);
        }
    }
}

/// What stands in for a deny or ask rule that cannot be read: an ask rule for the whole tool it
/// names, or for every tool when not even that can be read. An empty rule named nothing.
fn stand_in(text: &str, error: &RuleError) -> Option<Rule> {
    if *error == RuleError::Empty {
        return None;
    }
    let named = text.split_once('(').and_then(|(tool, _)| tool.parse().ok());
    named.or_else(|| "*".parse().ok())
}

/// What the operating system takes as a variable.
pub(super) fn is_variable(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
