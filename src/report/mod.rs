//! What comes out of a run as text.

pub mod cite;
