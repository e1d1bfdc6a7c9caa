//! Flags about how the model works.

use agent::{Effort, Thinking};
use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffortFlag {
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThinkingFlag {
    /// When the model finds it useful
    Adaptive,
    Disabled,
}

impl From<EffortFlag> for Effort {
    fn from(flag: EffortFlag) -> Effort {
        match flag {
            EffortFlag::Low => Effort::Low,
            EffortFlag::Medium => Effort::Medium,
            EffortFlag::High => Effort::High,
            EffortFlag::Xhigh => Effort::XHigh,
            EffortFlag::Max => Effort::Max,
        }
    }
}

impl From<ThinkingFlag> for Thinking {
    fn from(flag: ThinkingFlag) -> Thinking {
        match flag {
            ThinkingFlag::Adaptive => Thinking::Adaptive,
            ThinkingFlag::Disabled => Thinking::Disabled,
        }
    }
}
