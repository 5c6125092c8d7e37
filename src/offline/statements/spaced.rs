//! Tables of plain text, whose columns are told by where they stand in their lines.

use std::ops::Range;

use crate::base::text::is_cjk;

/// Fewest rows of a table, the names of its columns included.
const ROWS: usize = 3;

/// A piece of a line between wide gaps: its bytes, and the places that it takes from left to right.
type Piece = (Range<usize>, Range<usize>);

/// A table that begins with a line.
pub(super) struct Table {
    /// Behind its last line.
    pub end: usize,
    pub columns: usize,
    /// The lines of its rows, with their cells by column; those of a row may be empty. A row that cannot be cut at the columns
    /// is one cell.
    pub rows: Vec<(usize, Vec<Range<usize>>)>,
    /// Whether a line of dashes divides the first row from the others.
    pub is_ruled: bool,
}

/// The table that begins with line `at`. Its rows have pieces below each other, with gaps between the columns. A row between
/// others that cannot be cut at the columns is one cell, so that the rows below it keep their names.
pub(super) fn table(text: &str, lines: &[Range<usize>], at: usize) -> Option<Table> {
    if pieces(text, lines.get(at)?).len() < 2 {
        return None;
    }
    let (all, is_ruled) = gapped(text, lines, at);
    let most = all.iter().map(Vec::len).max()?;
    let full = || all.iter().filter(|pieces| pieces.len() == most);
    if full().count() * 2 < all.len() {
        return None;
    }
    let reach = |column: usize| {
        let from = full().map(|pieces| pieces[column].1.start).min();
        from.unwrap_or(0)..full().map(|pieces| pieces[column].1.end).max().unwrap_or(0)
    };
    let columns: Vec<Range<usize>> = (0..most).map(reach).collect();
    let stand_apart = columns.windows(2).all(|two| two[0].end <= two[1].start);
    // Two columns are a list of names and values only where the values stand below each other.
    let begins = |pieces: &Vec<Piece>| pieces[1].1.start == columns[1].start;
    let ends = |pieces: &Vec<Piece>| pieces[1].1.end == columns[1].end;
    if !stand_apart || most == 2 && !full().all(begins) && !full().all(ends) {
        return None;
    }
    let mut rows = Vec::new();
    let mut end = at;
    for (number, line) in lines.iter().enumerate().skip(at) {
        let words = text[line.clone()].trim();
        let pieces = pieces(text, line);
        if is_rule(words) {
            end = if end == number { number + 1 } else { end };
            continue;
        }
        match by_column(text, &pieces, &columns) {
            Some(cells) => {
                // Running text behind the last row may have a word where a column begins.
                end = if pieces.len() > 1 { number + 1 } else { end };
                rows.push((number, cells));
            }
            None if pieces.len() > 1 => rows.push((number, vec![line.clone()])),
            None => break,
        }
    }
    rows.retain(|(number, _)| *number < end);
    let is_cut = |(_, cells): &(usize, Vec<Range<usize>>)| cells.len() == most;
    let is_table = rows.first().is_some_and(is_cut) && rows.iter().filter(|row| is_cut(row)).count() >= ROWS;
    is_table.then_some(Table { end, columns: most, rows, is_ruled })
}

/// The pieces of the lines with gaps from line `at` on, and whether a line of dashes stands below the first.
fn gapped(text: &str, lines: &[Range<usize>], at: usize) -> (Vec<Vec<Piece>>, bool) {
    let mut all = Vec::new();
    let mut is_ruled = false;
    for line in lines.iter().skip(at) {
        let pieces = pieces(text, line);
        if is_rule(text[line.clone()].trim()) {
            is_ruled |= all.len() == 1;
        } else if pieces.len() < 2 {
            break;
        } else {
            all.push(pieces);
        }
    }
    (all, is_ruled)
}

/// The cells of a row by the columns below which they stand; `None` where one stands below none, or two below the same, or
/// where there is only one.
fn by_column(text: &str, pieces: &[Piece], columns: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let mut cells = vec![0..0; columns.len()];
    for piece in pieces {
        for (bytes, places) in cut(text, piece, columns) {
            let column = column_of(&places, columns).filter(|&column| cells[column].is_empty())?;
            cells[column] = bytes;
        }
    }
    (cells.iter().filter(|cell| !cell.is_empty()).count() > 1).then_some(cells)
}

/// The only column below which something stands.
fn column_of(places: &Range<usize>, columns: &[Range<usize>]) -> Option<usize> {
    let mut below = (0..columns.len()).filter(|&at| columns[at].start < places.end && places.start < columns[at].end);
    below.next().filter(|_| below.next().is_none())
}

/// A piece that reaches over columns, as one does where a long name leaves room for a single space: cut before each word that
/// stands in the next column and begins or ends with it.
fn cut(text: &str, piece: &Piece, columns: &[Range<usize>]) -> Vec<Piece> {
    if column_of(&piece.1, columns).is_some() {
        return vec![piece.clone()];
    }
    let mut cells: Vec<Piece> = Vec::new();
    let mut current: Option<usize> = None;
    for (bytes, places) in parted(text, &piece.0, piece.1.start, 1) {
        let fits = |at: usize| columns[at].start == places.start || columns[at].end == places.end;
        let next = column_of(&places, columns).filter(|&at| current.is_none_or(|before| at > before && fits(at)));
        match cells.last_mut().filter(|_| next.is_none()) {
            Some(cell) => (cell.0.end, cell.1.end) = (bytes.end, places.end),
            None => cells.push((bytes, places)),
        }
        current = next.or(current);
    }
    cells
}

/// What stands in a line between gaps of two places or more; a wide space alone also parts words.
fn pieces(text: &str, line: &Range<usize>) -> Vec<Piece> {
    parted(text, line, 0, 2)
}

/// What stands in `bytes`, which begin at `place`, between gaps of `least` places and spaces or more.
fn parted(text: &str, bytes: &Range<usize>, mut place: usize, least: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut gap, mut spaces) = (0, 0);
    for (at, char) in text[bytes.clone()].char_indices() {
        let (at, wide) = (bytes.start + at, is_wide(char));
        if char.is_whitespace() {
            (gap, spaces) =
                if char == '\t' { (gap + 8, spaces + 2) } else { (gap + 1 + usize::from(wide), spaces + 1) };
            place += 1 + usize::from(wide);
            continue;
        }
        let after = place + 1 + usize::from(wide);
        let end = at + char.len_utf8();
        match pieces.last_mut().filter(|_| gap < least || spaces < least) {
            Some((bytes, places)) => (bytes.end, places.end) = (end, after),
            None => pieces.push((at..end, place..after)),
        }
        (place, gap, spaces) = (after, 0, 0);
    }
    pieces
}

/// Whether a character takes two places.
fn is_wide(char: char) -> bool {
    is_cjk(char) || matches!(char, '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff60}')
}

/// Whether a line only divides: dashes, with gaps or without.
fn is_rule(line: &str) -> bool {
    line.chars().nth(2).is_some()
        && line.chars().all(|char| matches!(char, '-' | '=' | '_' | '―' | '─' | '━' | '—' | ' '))
}

#[cfg(test)]
mod tests {
    use crate::offline::statements::Form;
    use crate::offline::testing::stated;

    fn check(text: &str, expected: &[&str]) {
        let found = stated(text);
        let rows: Vec<&str> = found.iter().filter(|one| one.form == Form::Row).map(|one| one.text.as_str()).collect();
        assert_eq!(rows, expected, "{text}");
    }

    #[test]
    fn columns_stand_below_each_other() {
        check(
            "Tests of 3 March\n\nParameter       Main pool   Spa pool   Limit\npH value             7.24       7.52   7.0 - 7.6\n\
             Nitrate (mg/l)       14.0       26.0   max. 30\nNote          \n\nResult: good.",
            &[
                "Parameter: pH value; Main pool: 7.24; Spa pool: 7.52; Limit: 7.0 - 7.6",
                "Parameter: Nitrate (mg/l); Main pool: 14.0; Spa pool: 26.0; Limit: max. 30",
            ],
        );
        check(
            "No.    Product        1-5 units   over 20\n------------------------------------------\n\
             M-1    Tamper, steel      54.00     48.50\nM-2    Jug                            27.00\n",
            &[
                "No.: M-1; Product: Tamper, steel; 1-5 units: 54.00; over 20: 48.50",
                "No.: M-2; Product: Jug; over 20: 27.00",
            ],
        );
        check(
            "客室　　　　　　平日　　　　　休前日\n――――――――――――――――\n和室八畳　　　　12,800　　　15,300\n離れ「ふじ」　　31,000　　　35,400\n\n・注",
            &["客室: 和室八畳; 平日: 12,800; 休前日: 15,300", "客室: 離れ「ふじ」; 平日: 31,000; 休前日: 35,400"],
        );
        check(
            "Station   06:40   07:40   08:40\nMarket    06:47   07:47   08:47\nLake      07:15    |      09:18\n",
            &["Station; 06:40; 07:40; 08:40", "Market; 06:47; 07:47; 08:47", "Lake; 07:15; |; 09:18"],
        );
        check(
            "七日前から四日前　　　宿泊料の二〇％\n三日前・二日前　　　　宿泊料の三〇％\n前日　　　　　　　　　宿泊料の五〇％",
            &["七日前から四日前: 宿泊料の二〇％", "三日前・二日前: 宿泊料の三〇％", "前日: 宿泊料の五〇％"],
        );
    }

    #[test]
    fn a_row_without_a_gap_keeps_the_names_of_the_rows_below() {
        check(
            "氏名        部署                担当\n佐藤 一郎   経理課              請求\n岡 ゆき     総務課              備品\n\
             佐久間 広美 資材購買課 第二係   発注\n原 健太     営業課              見積\n辻 あや     開発課              設計",
            &[
                "氏名: 佐藤 一郎; 部署: 経理課; 担当: 請求",
                "氏名: 岡 ゆき; 部署: 総務課; 担当: 備品",
                "氏名: 佐久間 広美; 部署: 資材購買課 第二係; 担当: 発注",
                "氏名: 原 健太; 部署: 営業課; 担当: 見積",
                "氏名: 辻 あや; 部署: 開発課; 担当: 設計",
            ],
        );
        check(
            "Tool            Price   Shelf\nSaw              4.00   A\nLong spirit level 21.50  B\nAdze            12.00   C\n\
             Very large saws 54.00   D\nAwl              2.00   E",
            &[
                "Tool: Saw; Price: 4.00; Shelf: A",
                "Long spirit level 21.50 B",
                "Tool: Adze; Price: 12.00; Shelf: C",
                "Tool: Very large saws; Price: 54.00; Shelf: D",
                "Tool: Awl; Price: 2.00; Shelf: E",
            ],
        );
        check(
            "Tool     Shelf\n---------------\nSaw      Left\nHandsaws Right\nAdze     Left\nAll goes back at night.",
            &["Tool: Saw; Shelf: Left", "Tool: Handsaws; Shelf: Right", "Tool: Adze; Shelf: Left"],
        );
    }

    #[test]
    fn running_text_is_no_table() {
        check("It rained.  We went home.\nThen it was dark.  We slept.\nIn the morning.  We ate.", &[]);
        check("justified   text  of some lines\nthat has gaps  in   places that\nare not   below each   other", &[]);
        check("One    two\n\nThree   four\n\nFive    six", &[]);
    }
}
