//! How much a comparison may cost, counted and not timed.

/// Work that may still be done. Comparing takes, at worst, each old piece against each new one.
pub(crate) struct Budget(usize);

impl Budget {
    /// Enough to compare this many old pieces with as many new ones, once.
    pub(crate) fn for_pieces(count: usize) -> Budget {
        Budget(count.saturating_mul(count))
    }

    pub(super) fn allows(&self, old: usize, new: usize) -> bool {
        old.saturating_mul(new) <= self.0
    }

    /// Takes the cost of a comparison, if it is still there.
    pub(crate) fn spend(&mut self, old: usize, new: usize) -> bool {
        let allowed = self.allows(old, new);
        if allowed {
            self.0 -= old.saturating_mul(new);
        }
        allowed
    }
}
