//! Tides.
#[derive(Debug)]
pub struct Pier<'a> {
    name: &'a str,
}

/// Doc.
pub(crate) async fn f() {}
impl Pier<'_> {}
