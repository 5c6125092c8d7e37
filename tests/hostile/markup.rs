//! Text formats: endless nesting, names that expand to each other, endless lines and cells.

fn nested(open: &str, close: &str, times: usize) -> Vec<u8> {
    [open.repeat(times), "x".to_owned(), close.repeat(times)].concat().into_bytes()
}

/// XML entities that each expand to ten of the one before.
fn laughs() -> Vec<u8> {
    let mut out = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e0 \"ha\">".to_owned();
    for level in 1..12 {
        out.push_str(&format!("<!ENTITY e{level} \"{}\">", format!("&e{};", level - 1).repeat(10)));
    }
    out.push_str("]><svg><text>&e11;</text></svg>");
    out.into_bytes()
}

/// The same with YAML anchors.
fn anchors() -> Vec<u8> {
    let mut out = "a0: &a0 [ha, ha, ha]\n".to_owned();
    for level in 1..12 {
        out.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", ")));
    }
    out.into_bytes()
}

/// Messages nested in each other.
fn messages(times: usize) -> Vec<u8> {
    let mut out = "From: a@b.example\nSubject: s\n".to_owned();
    for level in 0..times {
        out.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
    }
    out.push_str("Content-Type: text/plain\n\nwords\n");
    out.into_bytes()
}

pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let svg = |inside: Vec<u8>| [&b"<svg xmlns=\"http://www.w3.org/2000/svg\">"[..], &inside, b"</svg>"].concat();
    vec![
        ("laughs.svg", laughs()),
        ("nested.svg", svg(nested("<g>", "</g>", 1_000_000))),
        ("nested.xml", nested("<a>", "</a>", 1_000_000)),
        (
            "attributes.xml",
            format!("<a {}/>", (0..200_000).map(|n| format!("a{n}=\"\" ")).collect::<String>()).into_bytes(),
        ),
        ("nested.html", nested("<div>", "</div>", 500_000)),
        ("formatting.html", nested("<b><i><p>", "</b>", 100_000)),
        ("tables.html", nested("<table><tr><td>", "", 100_000)),
        ("nested.json", nested("[", "]", 2_000_000)),
        ("objects.json", nested("{\"a\":", "}", 1_000_000)),
        ("aliases.yaml", anchors()),
        ("nested.yaml", nested("[", "]", 500_000)),
        ("nested.toml", format!("a = {}", "[".repeat(200_000)).into_bytes()),
        ("parts.eml", messages(20_000)),
        ("lines.csv", "a,b,c\n1,2,3\n".repeat(3_000_000).into_bytes()),
        (
            "columns.csv",
            [",".repeat(200_000), "\n".to_owned(), format!("{}\n", "1,".repeat(200_000)).repeat(20)]
                .concat()
                .into_bytes(),
        ),
        ("groups.rtf", nested("{\\rtf1 {\\b ", "}", 500_000)),
        ("quotes.md", nested("> ", "", 200_000)),
        ("lists.md", (0..3000).map(|n| format!("{}- x\n", " ".repeat(n))).collect::<String>().into_bytes()),
        ("groups.tex", nested("\\textbf{", "}", 300_000)),
    ]
}
