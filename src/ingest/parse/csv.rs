//! Tables: each row becomes a line that repeats the names of its columns, so that it can be read alone.

use csv::ReaderBuilder;

use super::Parsed;

/// How much is looked at to find the delimiter.
const SNIFF_ROWS: usize = 20;
const SNIFF_BYTES: usize = 64 * 1024;

/// `name: value; name: value` for each row; `None` where there are no columns.
pub(super) fn parse(source: &str) -> Option<Parsed> {
    let delimiter = delimiter(source)?;
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(source.as_bytes());
    let mut parsed = Parsed { text: String::with_capacity(source.len() * 2), ..Parsed::default() };
    let mut names: Option<Vec<String>> = None;
    let mut row = csv::StringRecord::new();
    // Rows of any length are taken and the text is UTF-8, so a row cannot fail; were it to, the table is read as text.
    while reader.read_record(&mut row).ok()? {
        match &names {
            None => {
                let header = header(&row);
                let is_header = !header.is_empty();
                names = Some(header);
                if !is_header {
                    push_row(&mut parsed, &[], &row);
                }
            }
            Some(names) => push_row(&mut parsed, names, &row),
        }
    }
    if parsed.text.is_empty() {
        // Nothing but a header: its names are the content.
        push_row(&mut parsed, &[], &csv::StringRecord::from(names?));
    }
    Some(parsed)
}

fn push_row(parsed: &mut Parsed, names: &[String], row: &csv::StringRecord) {
    let start = parsed.text.len();
    for (place, value) in row.iter().enumerate().filter(|(_, value)| !value.is_empty()) {
        if parsed.text.len() > start {
            parsed.text.push_str("; ");
        }
        if let Some(name) = names.get(place).filter(|name| !name.is_empty()) {
            parsed.text.push_str(name);
            parsed.text.push_str(": ");
        }
        push_line(&mut parsed.text, value);
    }
    if parsed.text.len() > start {
        parsed.text.push('\n');
        parsed.breaks.push(start);
    }
}

fn push_line(out: &mut String, value: &str) {
    for (place, word) in value.split(['\n', '\r']).filter(|word| !word.is_empty()).enumerate() {
        if place > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// The names in the first row, or none where it holds values: numbers, blanks, one name twice.
fn header(row: &csv::StringRecord) -> Vec<String> {
    let names: Vec<String> = row.iter().map(crate::base::text::one_line).collect();
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    sorted.sort_unstable();
    let distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    let worded = sorted.iter().all(|name| name.parse::<f64>().is_err() && name.len() < 100);
    // A first column of row numbers often has no name.
    if distinct && worded && !sorted.is_empty() && sorted.len() + 1 >= names.len() { names } else { Vec::new() }
}

/// The delimiter that divides the first rows most evenly.
fn delimiter(source: &str) -> Option<u8> {
    let head = &source[..crate::base::text::floor_boundary(source, SNIFF_BYTES)];
    let mut best: Option<(usize, u8)> = None;
    for delimiter in [b',', b'\t', b';', b'|'] {
        let mut reader =
            ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(head.as_bytes());
        let widths: Vec<usize> = reader.records().take(SNIFF_ROWS).map_while(Result::ok).map(|row| row.len()).collect();
        let width = *widths.first()?;
        let even = widths.iter().filter(|&&other| other == width).count();
        let score = if width < 2 { 0 } else { even * 1000 / widths.len() * 100 + width.min(99) };
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, delimiter));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let parsed = parse(source).expect("a table");
        assert_eq!(parsed.text, expected);
        let starts: Vec<usize> =
            parsed.text.lines().map(|line| line.as_ptr() as usize - parsed.text.as_ptr() as usize).collect();
        assert_eq!(parsed.breaks, starts);
    }

    #[test]
    fn names_are_repeated() {
        check("name,age\nAda,36\nBob,\n", "name: Ada; age: 36\nname: Bob\n");
        check("name;note\n\"A; b\";\"two\nlines\"\n", "name: A; b; note: two lines\n");
        check("a\tb\n1,5\t2\n", "a: 1,5; b: 2\n");
        check("1,2\n3,4\n", "1; 2\n3; 4\n");
        check("name\nAda\n", "name: Ada\n");
        check("name,age\n", "name; age\n");
    }

    #[test]
    fn uneven_rows_are_kept() {
        check("a,b\n1\n1,2,3\n", "a: 1\na: 1; b: 2; 3\n");
    }
}
