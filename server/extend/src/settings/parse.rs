//! One settings file: its text becomes values and problems.
//!
//! Comments and trailing commas are fine, unknown keys belong to others. What was meant to restrict
//! and cannot be understood makes the file `broken`, which the merge answers with strictness.

use std::collections::BTreeMap;

use jsonc_parser::ast::{Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use policy::{Behavior, Mode, Rule, RuleError};

pub(super) use super::parsed::{At, Located, Parsed, at};
use super::schema::{self, Shape};
use super::{
    SaveBeforeCommands, credentials, explain, hooks, language_servers, mcp_limits, plugins,
    plugins_only, sandbox, spelling,
};

/// What a broken file means, as the end of a sentence.
pub(super) const CONSEQUENCE: &str =
    "until then its allow rules are not used and no mode looser than `default` applies";

/// The beginning of a sentence about a file that is not read because of its size.
pub(super) const ENDLESS: &str = "The file has more than 5000 values; leave some out";

pub(crate) fn options() -> ParseOptions {
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
            Some(Value::Object(root)) if explain::is_endless(&root) => {
                reader.broken(root.start(), format!("{ENDLESS}, {CONSEQUENCE}."));
            }
            Some(Value::Object(root)) => {
                reader.parsed.leaves = explain::leaves(text, &root, "");
                reader.object("", &root);
            }
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

/// A file of nothing but MCP servers.
pub(super) fn mcp_file(text: &str) -> Parsed {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, parsed: Parsed::default() };
    match parse_to_ast(text, &CollectOptions::default(), &options()) {
        Ok(result) => match result.value {
            Some(Value::Object(root)) if explain::is_endless(&root) => {
                reader.problem(root.start(), format!("{ENDLESS}."));
            }
            Some(Value::Object(root)) => {
                reader.parsed.leaves = explain::leaves(text, &root, "");
                let servers = root.properties.iter().find(|p| p.name.as_str() == "mcpServers");
                match servers.map(|property| &property.value) {
                    Some(Value::Object(servers)) => reader.mcp_servers(servers),
                    Some(other) => reader.wrong_type("mcpServers", other, "an object"),
                    None => {}
                }
            }
            Some(other) => reader.problem(
                other.start(),
                "The file must be an object; write {\"mcpServers\": {…}}.".to_owned(),
            ),
            None => reader.problem(0, "The file is empty; write `{}` or delete it.".to_owned()),
        },
        Err(error) => {
            let what = error.kind().to_string().to_lowercase();
            let message = format!(
                "This is not valid JSON ({what}); mend it here, until then no MCP server of this \
                 file is known."
            );
            reader.problem(error.range().start, message);
        }
    }
    reader.parsed
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) parsed: Parsed,
}

impl Reader<'_> {
    pub(super) fn problem(&mut self, offset: usize, message: String) {
        self.parsed.problems.push((Some(at(self.text, offset)), message));
    }

    pub(super) fn broken(&mut self, offset: usize, message: String) {
        self.parsed.broken = true;
        self.problem(offset, message);
    }

    /// A value of the wrong type; the file is broken when the key was there to restrict.
    pub(super) fn wrong_type(&mut self, path: &str, value: &Value<'_>, wanted: &str) {
        let strict = schema::is_strict(path);
        let key = path.strip_prefix("permissions.").unwrap_or(path);
        let message = format!(
            "`{}` must be {wanted}, but it is {}; write it as one{}.",
            key.escape_debug(),
            kind(value),
            if strict { format!(", {CONSEQUENCE}") } else { String::new() }
        );
        match strict {
            true => self.broken(value.start(), message),
            false => self.problem(value.start(), message),
        }
    }

    /// An object whose keys are in the table, and what stands at `path`.
    fn object(&mut self, path: &str, object: &Object<'_>) {
        for (number, property) in object.properties.iter().enumerate() {
            let name = property.name.as_str();
            if object.properties[..number].iter().any(|earlier| earlier.name.as_str() == name) {
                let message = format!(
                    "The key `{}` is there twice; keep one of them, {CONSEQUENCE}.",
                    name.escape_debug()
                );
                self.broken(property.start(), message);
            }
            let full = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            match schema::find(&full) {
                Some(_) if name.contains('.') => self.dotted(&full, property),
                _ if !name.contains('.') && self.own(&full, &property.value) => {}
                Some((key, shape)) => self.shaped(key, shape, &property.value),
                None => self.unknown(property, path),
            }
        }
    }

    /// `"permissions.deny": […]` in one name: whoever wrote it believes that it counts.
    fn dotted(&mut self, path: &str, property: &ObjectProp<'_>) {
        let strict = schema::is_strict(path);
        let then = if strict { format!(", {CONSEQUENCE}") } else { String::new() };
        let message = format!("`{path}` must be written as objects in each other{then}.");
        match strict {
            true => self.broken(property.start(), message),
            false => self.problem(property.start(), message),
        }
    }

    /// The keys with more to them than a shape; says whether this was one.
    fn own(&mut self, path: &str, value: &Value<'_>) -> bool {
        match (path, value) {
            ("permissions", Value::Object(permissions)) => self.object(path, permissions),
            ("permissions", other) => self.wrong_type(path, other, "an object"),
            ("permissions.allow", _) => self.rules("allow", Behavior::Allow, value),
            ("permissions.ask", _) => self.rules("ask", Behavior::Ask, value),
            ("permissions.deny", _) => self.rules("deny", Behavior::Deny, value),
            ("permissions.defaultMode", Value::StringLit(name)) => self.mode(name),
            ("permissions.defaultMode", other) => {
                self.wrong_type(path, other, "the name of a mode in quotes");
            }
            ("permissions.additionalDirectories", _) => {
                self.parsed.directories = self.located(path, value);
            }
            ("saveBeforeCommands", _) => self.save_before_commands(value),
            ("languageServers", Value::Object(servers)) => self.language_servers(servers),
            ("mcpServers", Value::Object(servers)) => self.mcp_servers(servers),
            ("enabledPlugins", Value::Object(plugins)) => self.plugins(plugins),
            ("maxTurns", Value::NumberLit(number))
                if number.value.parse::<u32>().is_ok_and(|n| n > 0) =>
            {
                self.parsed.max_turns = number.value.parse().ok();
            }
            ("maxTurns", other) => self.wrong_type(path, other, "a whole number from 1 up"),
            ("fallbackModel", Value::StringLit(name)) => {
                self.parsed.fallback_models = Some(vec![name.value.to_string()]);
            }
            ("fallbackModel", Value::Array(names)) => {
                let names = names.elements.iter().map(|name| match name {
                    Value::StringLit(name) => Some(name.value.to_string()),
                    _ => None,
                });
                match names.collect() {
                    Some(names) => self.parsed.fallback_models = Some(names),
                    None => self.wrong_type(path, value, "names of models in quotes"),
                }
            }
            ("fallbackModel", other) => self.wrong_type(path, other, "names of models in quotes"),
            ("env", Value::Object(env)) => self.env(env),
            ("env", other) => self.wrong_type(path, other, "an object of strings"),
            ("sandbox.credentials", Value::Object(all)) => credentials::read(self, all),
            (plugins_only::KEY, _) => plugins_only::read(self, value),
            ("hooks", Value::Object(events)) => hooks::read(self, events),
            ("hooks", other) => self.wrong_type(path, other, "an object of events"),
            _ => return mcp_limits::read(self, path, value),
        }
        true
    }

    /// A value that is fully described by its shape.
    fn shaped(&mut self, key: &'static str, shape: Shape, value: &Value<'_>) {
        let at = at(self.text, value.start());
        if key == sandbox::IGNORED && !self.is_object_of_lists(value) {
            return self.wrong_type(key, value, "an object of lists of strings");
        }
        if plugins::RAW.contains(&key) || key == sandbox::IGNORED {
            self.parsed.raw.extend(json(self.text, value).map(|value| (key, value)));
        }
        match (shape, value) {
            (Shape::Bool, Value::BooleanLit(flag)) => {
                self.parsed.bools.insert(key, Located { at, value: flag.value });
            }
            (Shape::Bool, other) => self.wrong_type(key, other, "true or false"),
            (Shape::Disable, Value::StringLit(word)) if word.value == "disable" => {
                self.parsed.bools.insert(key, Located { at, value: true });
            }
            (Shape::Disable, Value::BooleanLit(flag)) => {
                self.parsed.bools.insert(key, Located { at, value: flag.value });
            }
            (Shape::Disable, other) => self.wrong_type(key, other, "\"disable\" or absent"),
            (Shape::Text(_), Value::StringLit(text)) => {
                let value = text.value.to_string();
                self.parsed.texts.insert(key, Located { at, value });
            }
            (Shape::Text(wanted), other) => self.wrong_type(key, other, wanted),
            (Shape::Number, Value::NumberLit(number)) => {
                let whole = number.value.parse().ok();
                let is_port = [sandbox::HTTP_PORT, sandbox::SOCKS_PORT].contains(&key);
                if is_port && !whole.is_some_and(|port| (1..=65535).contains(&port)) {
                    return self.wrong_type(key, value, "a port from 1 to 65535");
                }
                self.parsed.numbers.extend(whole.map(|number: u64| (key, number)));
            }
            (Shape::Object, Value::Object(_)) => {}
            (Shape::Number, other) => self.wrong_type(key, other, "a number"),
            (Shape::Texts, _) => {
                let texts = self.located(key, value);
                self.parsed.lists.insert(key, texts);
            }
            (Shape::Choice(words), Value::StringLit(word)) => self.choice(key, words, word),
            (Shape::Choice(_), other) => self.wrong_type(key, other, "a string in quotes"),
            (Shape::Group, Value::Object(group)) => self.object(key, group),
            (Shape::Group | Shape::Object, other) => self.wrong_type(key, other, "an object"),
            (Shape::Any, _) => {}
        }
    }

    fn is_object_of_lists(&self, value: &Value<'_>) -> bool {
        let found = json(self.text, value);
        let lists = found.as_ref().and_then(serde_json::Value::as_object);
        lists.is_some_and(|lists| {
            let texts = |list: &serde_json::Value| {
                list.as_array().is_some_and(|list| list.iter().all(serde_json::Value::is_string))
            };
            lists.values().all(texts)
        })
    }

    fn choice(&mut self, key: &'static str, words: &[&'static str], word: &StringLit<'_>) {
        if words.contains(&&*word.value) {
            let (at, value) = (at(self.text, word.start()), word.value.to_string());
            self.parsed.texts.insert(key, Located { at, value });
            return;
        }
        let meant = spelling::nearest(&word.value, words)
            .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        let message = format!(
            "`{key}` cannot be `{}`{meant}; write one of {}.",
            word.value.escape_debug(),
            words.join(", ")
        );
        self.problem(word.start(), message);
    }

    fn rules(&mut self, key: &str, behavior: Behavior, value: &Value<'_>) {
        for text in self.strings(&format!("permissions.{key}"), value) {
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

    pub(super) fn located(&mut self, key: &str, value: &Value<'_>) -> Vec<Located<String>> {
        let text = self.text;
        let strings = self.strings(key, value).into_iter();
        let located =
            |s: &StringLit<'_>| Located { at: at(text, s.start()), value: s.value.to_string() };
        strings.map(located).collect()
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

    fn mcp_servers(&mut self, servers: &Object<'_>) {
        for property in &servers.properties {
            let name = property.name.as_str().to_owned();
            self.parsed.mcp.extend(json(self.text, &property.value).map(|value| (name, value)));
        }
    }

    /// Only `true` switches one on.
    fn plugins(&mut self, all: &Object<'_>) {
        for property in &all.properties {
            let enabled = matches!(&property.value, Value::BooleanLit(flag) if flag.value);
            let at = at(self.text, property.start());
            let value = (property.name.as_str().to_owned(), enabled);
            self.parsed.plugins.push(Located { at, value });
        }
    }

    fn unknown(&mut self, property: &ObjectProp<'_>, path: &str) {
        let name = property.name.as_str();
        let Some(near) = spelling::nearest(name, &schema::names_below(path)) else { return };
        let name = name.escape_debug();
        let meant = if path.is_empty() { near.to_owned() } else { format!("{path}.{near}") };
        if schema::is_strict(&meant) {
            let message = format!("There is no key `{name}`; write `{near}`, {CONSEQUENCE}.");
            self.broken(property.start(), message);
        } else {
            let message = format!("There is no key `{name}`, so it is ignored; write `{near}`.");
            self.problem(property.start(), message);
        }
    }
}

/// A value of a file as plain JSON, without comments.
pub(super) fn json(text: &str, value: &Value<'_>) -> Option<serde_json::Value> {
    parse_to_serde_value::<serde_json::Value>(value.text(text), &options()).ok()
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
