//! The three declarations every family file is written with: `wire!` for a struct, `open_enum!`
//! for a string enum and `methods!` for requests and notifications. (`tagged!` is in its own file.)
//!
//! They exist so that a declaration reads like the contract: `roots?: Vec<String>` is an optional
//! field, and nobody can forget the attribute that leaves it out of the JSON.

/// Declares structs of the wire: public fields, camelCase names, `field?: T` for an optional one.
macro_rules! wire {
    ($( $(#[$meta:meta])* pub struct $name:ident { $($body:tt)* } )+) => {
        $( $crate::macros::wire!(@fields [$(#[$meta])*] $name [] $($body)*); )+
    };
    (@fields [$($meta:tt)*] $name:ident [$($done:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $($meta)*
        pub struct $name { $($done)* }
    };
    (@fields $meta:tt $name:ident [$($done:tt)*]
        $(#[$field_meta:meta])* $field:ident ?: $type:ty $(, $($rest:tt)*)?
    ) => {
        $crate::macros::wire!(@fields $meta $name [
            $($done)*
            $(#[$field_meta])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,
        ] $($($rest)*)?);
    };
    (@fields $meta:tt $name:ident [$($done:tt)*]
        $(#[$field_meta:meta])* $field:ident : $type:ty $(, $($rest:tt)*)?
    ) => {
        $crate::macros::wire!(@fields $meta $name [
            $($done)*
            $(#[$field_meta])*
            pub $field: $type,
        ] $($($rest)*)?);
    };
}

/// Declares a string enum that keeps a value it does not know in `Other`.
macro_rules! open_enum {
    (
        $(#[doc = $doc:tt])*
        pub enum $name:ident $((default $default:ident))? {
            $( $(#[doc = $variant_doc:tt])* $variant:ident = $text:literal, )+
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[doc = $variant_doc])* $variant, )+
            /// A value that this version of the contract does not know.
            Other(String),
        }

        impl $name {
            /// The value as it is written on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $text, )+
                    Self::Other(text) => text,
                }
            }
        }

        $(
            impl Default for $name {
                fn default() -> Self {
                    Self::$default
                }
            }
        )?

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $( $text => Self::$variant, )+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::tagged::Text::deserialize(deserializer)?;
                Ok(Self::from(&*text.0))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::schema::open_enum(
                    &[$($doc),*],
                    &[$( ($text, &[$($variant_doc),*]) ),+],
                )
            }
        }
    };
}

/// Declares methods: a marker type for each, and the family's part of the method table.
///
/// `ToServer Name = "agent/…" (Params) -> Result;` is a request; without a result it is a
/// notification.
macro_rules! methods {
    ($(
        $(#[doc = $doc:tt])+
        $direction:ident $name:ident = $method:literal ($params:ty) $(-> $result:ty)? ;
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;
            $crate::macros::methods!(@implement $name $method $direction $params $(, $result)?);
        )+

        /// This family's part of [`crate::methods()`].
        pub(crate) const METHODS: &[$crate::method::MethodInfo] = &[
            $( $crate::macros::methods!(@info $name [$($doc),+] $(, $result)?) ),+
        ];
    };
    (@implement $name:ident $method:literal $direction:ident $params:ty) => {
        impl $crate::Notification for $name {
            const METHOD: &'static str = $method;
            const DIRECTION: $crate::Direction = $crate::Direction::$direction;
            type Params = $params;
        }
    };
    (@implement $name:ident $method:literal $direction:ident $params:ty, $result:ty) => {
        impl $crate::Request for $name {
            const METHOD: &'static str = $method;
            const DIRECTION: $crate::Direction = $crate::Direction::$direction;
            type Params = $params;
            type Result = $result;
        }
    };
    (@info $name:ident [$($doc:tt),+]) => {
        $crate::method::MethodInfo::notification::<$name>(&[$($doc),+])
    };
    (@info $name:ident [$($doc:tt),+], $result:ty) => {
        $crate::method::MethodInfo::request::<$name>(&[$($doc),+])
    };
}

pub(crate) use {methods, open_enum, wire};
