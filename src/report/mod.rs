//! What comes out of a run as text.
