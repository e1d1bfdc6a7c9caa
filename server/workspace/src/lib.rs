//! The files of a workspace: open buffers over the disk, safe file access, walk and search.
//!
//! * [`Documents`] is what the editor has open, with one writer; a [`Snapshot`] is what readers get.
//! * A [`View`] is the one truth of text: the open buffer, the disk, or both merged.
//!   [`common_base`] is what the two last agreed on.
//! * [`write_atomic`] changes a file whole or not at all; [`Watched`] tells which ones others
//!   changed.
//! * [`Glob`], [`grep`] and [`Completer`] find files, with unsaved text in sight.
//! * [`syntax`] knows what a text is made of: its functions, classes, headings and keys.
//! * [`real_path`] says where a path really leads, so that permission is decided on that. Whatever
//!   is done afterwards is done at that very path, and not at all if a link stands in it by then.
//!
//! Nothing here is asynchronous, starts a process or talks to a network, and nothing here decides
//! whether a file may be touched: callers ask the policy first and run these functions where
//! waiting is allowed.

mod complete;
mod disk;
mod document;
mod documents;
mod glob;
mod grep;
mod magic;
mod nearest;
mod overlay;
mod resolve;
mod snapshot;
mod stored;
pub mod syntax;
mod uri;
mod view;
mod walk;

#[cfg(test)]
mod fidelity;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod races;

pub use complete::Completer;
pub use disk::{
    Entry, Expected, Kind, Listing, ReadError, Spool, Stamp, Watched, WriteError, WriteOptions,
    kind, list, read_beginning, read_bytes, read_if, record_temporaries, remove, stamp,
    sweep_temporaries, write_atomic, write_text,
};
pub use document::Document;
pub use documents::{Change, Changed, Documents, SyncError};
pub use glob::{Glob, GlobError, GlobResult};
pub use grep::{GrepError, GrepResult, Line, LineKind, Mode, Output, PatternError, Query, grep};
pub use overlay::{Base, DiskSide, common_base};
pub use resolve::{Located, ResolveError, locate, real_path};
pub use snapshot::Snapshot;
pub use uri::DocumentUri;
pub use view::{FileText, Origin, View};
pub use walk::{FilterError, Ignored, Limits, Stopped};

/// The most bytes a file may have to be read as text.
pub const READ_CAP: u64 = 50 * 1024 * 1024;
