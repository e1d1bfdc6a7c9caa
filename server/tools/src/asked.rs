//! Questions with choices that the model puts to the user.

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserQuestion {
    pub question: String,
    /// A word or two.
    pub header: String,
    /// What may be chosen, and what each means.
    pub options: Vec<(String, String)>,
    pub multi_select: bool,
}

/// What the user did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserAnswer {
    /// For each question what was chosen or written; empty where nothing was.
    Given(Vec<Vec<String>>),
    /// They do not want to answer.
    Declined,
}
