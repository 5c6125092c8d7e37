//! The eras by which Japanese dates count their years.

/// The eras since 1868, the newest first, each with the year before its first.
pub const ERAS: [(&str, i16); 5] = [("令和", 2018), ("平成", 1988), ("昭和", 1925), ("大正", 1911), ("明治", 1867)];

/// The letters that stand for the three newest, as in `R7.7.1`.
pub const ERA_LETTERS: [(char, i16); 3] = [('R', 2018), ('H', 1988), ('S', 1925)];
