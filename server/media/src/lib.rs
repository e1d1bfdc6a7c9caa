//! Pictures and PDFs as models take them: bytes in, bytes out.
//!
//! What comes here may be hostile. Whatever it says of its own size is checked before memory is
//! given to it, and nothing is followed without an end. Still, decoding takes time and a good deal of
//! memory: callers run it away from threads that others wait for, and with a deadline.

mod kind;
pub mod pages;
pub mod pdf;
pub mod picture;
#[cfg(any(test, feature = "samples"))]
pub mod samples;

pub use kind::Kind;
pub use pdf::{Pdf, PdfProblem};
pub use picture::{Picture, PictureProblem};
