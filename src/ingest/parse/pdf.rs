//! PDF documents.

use super::{ParseError, Parsed};

pub(super) fn parse(_bytes: &[u8]) -> Result<Parsed, ParseError> {
    Err(ParseError::Empty { hint: "" })
}
