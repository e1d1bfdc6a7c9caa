//! What a prompt is made of.

use crate::lsp::{Diagnostic, Range};
use crate::tagged::tagged;

tagged! {
    /// One part of a prompt.
    pub enum Block by "type" {
        /// What the user wrote.
        "text" => Text(TextBlock) {
            /// The text.
            text: String,
        }
        /// A picture, either inline or by reference.
        "image" => Image(ImageBlock) {
            /// For example `image/png`.
            mime_type: String,
            /// The bytes in Base64.
            data?: String,
            /// Where the picture is, when `data` is absent: a file, or a page of the web.
            uri?: String,
            /// In pixels, where the server shows what was attached.
            width?: u32,
            /// In pixels, where the server shows what was attached.
            height?: u32,
        }
        /// A PDF, either inline or by reference.
        "document" => Document(DocumentBlock) {
            /// `application/pdf`.
            mime_type: String,
            /// The bytes in Base64.
            data?: String,
            /// The file, when `data` is absent.
            uri?: String,
            /// Its name for people.
            title?: String,
        }
        /// A file, or a part of one, that the model shall see.
        "file" => File(FileBlock) {
            /// The file.
            uri: String,
            /// The version the client saw; absent or null when the file is not open.
            version?: i32,
            /// The part; absent for the whole file.
            range?: Range,
        }
        /// What is selected in the editor.
        "selection" => Selection(SelectionBlock) {
            /// The document.
            uri: String,
            /// The version the selection belongs to; null when the file is not open.
            version: Option<i32>,
            /// Where.
            range: Range,
            /// The selected text.
            text: String,
        }
        /// Diagnostics that the prompt is about.
        "diagnostics" => Diagnostics(DiagnosticsBlock) {
            /// The document.
            uri: String,
            /// The version the diagnostics belong to; null when the file is not open.
            version: Option<i32>,
            /// The diagnostics.
            items: Vec<Diagnostic>,
        }
        /// A resource of an MCP server.
        "resource" => Resource(ResourceBlock) {
            /// The server's name.
            server: String,
            /// The resource's URI.
            uri: String,
        }
    }
}

impl Block {
    /// A block of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock { text: text.into() })
    }
}
