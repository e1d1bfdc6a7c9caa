//! The contract as a whole: its JSON, its generated files, its reference.

mod generated;
mod golden;
mod readme;
