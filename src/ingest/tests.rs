//! Whole loads.
