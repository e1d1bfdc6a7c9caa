//! Open tagged unions: JSON objects whose `type` (or `kind`) field says which shape they have.
//!
//! Serde's own internally tagged enums refuse a tag they do not know, or, with a catch-all,
//! hide the error of a tag they do know. Here a known tag gives its own error, an unknown one is
//! kept whole, and when the tag comes first (ours always does) nothing is buffered.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::vec;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Declares an open union and the struct of each of its variants.
///
/// The struct does not repeat the tag in Rust, but its schema has it, so that generated types can
/// be told apart.
macro_rules! tagged {
    (
        $(#[doc = $doc:tt])+
        pub enum $name:ident by $tag:tt {
            $(
                $(#[doc = $variant_doc:tt])+
                $text:tt => $variant:ident($struct:ident) { $($fields:tt)* }
            )+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[serde(tag = $tag)]
        #[allow(
            clippy::large_enum_variant,
            reason = "a value is built once and written out; a box would cost every event more"
        )]
        pub enum $name {
            $(
                $(#[doc = $variant_doc])+
                #[serde(rename = $text)]
                $variant($struct),
            )+
            /// A shape that this version of the contract does not know: the whole object.
            #[serde(untagged)]
            Unknown(serde_json::Map<String, serde_json::Value>),
        }

        $(
            $crate::macros::wire! {
                $(#[doc = $variant_doc])+
                #[schemars(transform = $crate::schema::with_tag($tag, $text))]
                pub struct $struct { $($fields)* }
            }

            impl From<$struct> for $name {
                fn from(value: $struct) -> Self {
                    Self::$variant(value)
                }
            }
        )+

        impl $name {
            /// Every tag this version knows.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The tag of this value as it is written on the wire.
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $text, )+
                    Self::Unknown(object) => {
                        object.get($tag).and_then(serde_json::Value::as_str).unwrap_or_default()
                    }
                }
            }
        }

        impl $crate::tagged::Tagged for $name {
            const TAG: &'static str = $tag;

            fn read<'de, A: serde::de::MapAccess<'de>>(
                name: &str,
                fields: A,
            ) -> Result<Self, A::Error> {
                use serde::Deserialize as _;
                let fields = serde::de::value::MapAccessDeserializer::new(fields);
                match name {
                    $( $text => $struct::deserialize(fields).map(Self::$variant), )+
                    _ => $crate::tagged::unknown($tag, name, fields).map(Self::Unknown),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::tagged::deserialize(deserializer)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let variants = vec![$( generator.subschema_for::<$struct>() ),+];
                $crate::schema::open_union(&[$($doc),+], $tag, variants)
            }
        }
    };
}
pub(crate) use tagged;

/// A union that `tagged!` declared.
pub(crate) trait Tagged: Sized {
    const TAG: &'static str;

    /// Reads the variant called `name` from the fields beside the tag.
    fn read<'de, A: MapAccess<'de>>(name: &str, fields: A) -> Result<Self, A::Error>;
}

/// Reads a union from an object, wherever its tag stands.
pub(crate) fn deserialize<'de, T: Tagged, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(UnionVisitor(PhantomData))
}

/// Collects an object of an unknown kind, tag included.
pub(crate) fn unknown<'de, A: MapAccess<'de>>(
    tag: &str,
    name: &str,
    fields: MapAccessDeserializer<A>,
) -> Result<Map<String, Value>, A::Error> {
    let mut object = Map::deserialize(fields)?;
    object.insert(tag.to_owned(), Value::from(name));
    Ok(object)
}

struct UnionVisitor<T>(PhantomData<T>);

impl<'de, T: Tagged> Visitor<'de> for UnionVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a `{}` field", T::TAG)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut seen = Vec::new();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            if key.0 == T::TAG {
                let name: Text<'de> = map.next_value()?;
                return T::read(&name.0, Replay::new(seen, map));
            }
            seen.push((key.0.into_owned(), map.next_value()?));
        }
        Err(A::Error::missing_field(T::TAG))
    }
}

/// A string that is borrowed from the input where the input allows it.
pub(crate) struct Text<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text)))
    }
}

/// The fields that were read before the tag was found, then the rest of the object.
pub(crate) struct Replay<A> {
    seen: vec::IntoIter<(String, Value)>,
    value: Option<Value>,
    rest: A,
}

impl<A> Replay<A> {
    pub(crate) fn new(seen: Vec<(String, Value)>, rest: A) -> Self {
        Self { seen: seen.into_iter(), value: None, rest }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.seen.next() {
            Some((key, value)) => {
                self.value = Some(value);
                seed.deserialize(Value::String(key)).map(Some).map_err(A::Error::custom)
            }
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value).map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}
