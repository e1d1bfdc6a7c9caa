//! A settings text as a tree that keeps every character nobody changed.

use std::fmt;

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::parse_to_serde_value;
use serde_json::Value;

use crate::settings::options;

pub(super) struct Root(CstRootNode);

impl Root {
    /// The error says what is wrong with the text, as the end of a sentence.
    pub(super) fn parse(text: &str) -> Result<Root, String> {
        let root = CstRootNode::parse(text, &options()).map_err(|error| {
            let what = error.kind().to_string().to_lowercase();
            format!("is not valid JSON (line {}: {what})", error.line_display())
        })?;
        match root.value() {
            None | Some(CstNode::Container(_)) if root.object_value_or_create().is_some() => {
                Ok(Root(root))
            }
            _ => Err("is not an object in braces".to_owned()),
        }
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The object at a path, made where it is missing.
fn reach(root: &Root, path: &[&str]) -> Result<CstObject, String> {
    let mut object = root.0.object_value_or_set();
    for (depth, name) in path.iter().enumerate() {
        only_one(&object, name)?;
        object = object.object_value_or_create(name).ok_or_else(|| {
            let key = path[..=depth].join(".");
            format!("`{key}` is not an object, so nothing can be put into it; remove it first.")
        })?;
    }
    Ok(object)
}

/// Of two keys with one name, nobody knows which one counts.
fn only_one(object: &CstObject, name: &str) -> Result<(), String> {
    let named = |property: &CstObjectProp| property.decoded_name().as_deref() == Some(name);
    match object.properties().iter().filter(|property| named(property)).count() {
        0 | 1 => Ok(()),
        _ => Err(format!("The key `{}` is there twice; keep one of them.", name.escape_debug())),
    }
}

/// The object at a path, if it is there.
fn find(root: &Root, path: &[&str]) -> Option<CstObject> {
    let object = root.0.object_value()?;
    path.iter().try_fold(object, |object, name| object.object_value(name))
}

fn split<'a, 'b>(path: &'a [&'b str]) -> Result<(&'a [&'b str], &'b str), String> {
    path.split_last().map(|(last, above)| (above, *last)).ok_or_else(|| "There is no key.".into())
}

/// Appends a value to the list at a path; says whether it was missing.
pub(super) fn add(root: &Root, path: &[&str], value: &Value) -> Result<bool, String> {
    let (above, name) = split(path)?;
    let object = reach(root, above)?;
    only_one(&object, name)?;
    let list: CstArray = object.array_value_or_create(name).ok_or_else(|| {
        format!("`{}` is not a list, so nothing can be added; mend it first.", path.join("."))
    })?;
    let known = list.elements().iter().any(|each| plain(each).as_ref() == Some(value));
    if !known {
        list.append(input(value));
    }
    Ok(!known)
}

/// Takes matching entries out of the list at a path; says whether there were any.
pub(super) fn take_out(
    root: &Root,
    path: &[&str],
    matches: &dyn Fn(&Value) -> bool,
) -> Result<bool, String> {
    let (above, name) = split(path)?;
    let list = find(root, above).and_then(|object| object.array_value(name));
    let mut found = false;
    for each in list.map(|list| list.elements()).unwrap_or_default() {
        if plain(&each).is_some_and(|value| matches(&value)) {
            each.remove();
            found = true;
        }
    }
    Ok(found)
}

/// Sets the value at a path; says whether it was another one.
pub(super) fn set(root: &Root, path: &[&str], value: &Value) -> Result<bool, String> {
    let (above, name) = split(path)?;
    let object = reach(root, above)?;
    only_one(&object, name)?;
    match object.get(name) {
        Some(property) if property.value().and_then(|v| plain(&v)).as_ref() == Some(value) => {
            return Ok(false);
        }
        Some(property) => property.set_value(input(value)),
        None => drop(object.append(name, input(value))),
    }
    Ok(true)
}

/// Takes the key at a path out; says whether it was there.
pub(super) fn remove(root: &Root, path: &[&str]) -> bool {
    let Some((name, above)) = path.split_last() else { return false };
    let property = find(root, above).and_then(|object| object.get(name));
    property.map(|property| property.remove()).is_some()
}

/// A part of the tree without its comments.
fn plain(node: &CstNode) -> Option<Value> {
    parse_to_serde_value::<Value>(&node.to_string(), &options()).ok()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(object) => CstInputValue::Object(
            object.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}
