//! Booby-trapped folders as data.
