//! Groups the rows of the passages by the table that they belong to.

use std::collections::BTreeSet;

use super::lookup::cells;
use super::statements::{Form, Statement};
use crate::llm::purpose::EvidenceCard;

/// The rank of a passage, and the index of a statement in it.
pub(super) type Place = (usize, usize);

/// The rows of each table, in its order, from all passages that hold some: rows of one document below one heading whose
/// columns agree, and rows without a heading, as at the beginning of a passage.
pub(super) fn tables(cards: &[&EvidenceCard], stated: &[Vec<Statement>]) -> Vec<Vec<Place>> {
    let mut ranks: Vec<usize> = (0..cards.len()).collect();
    ranks.sort_by_key(|&rank| (&cards[rank].path, cards[rank].at));
    let mut tables: Vec<(BTreeSet<&str>, Vec<Place>)> = Vec::new();
    for rank in ranks {
        for (index, row) in stated[rank].iter().enumerate().filter(|(_, one)| one.form == Form::Row) {
            let columns: BTreeSet<&str> = cells(row).map(|(name, _)| name).collect();
            let goes_on = |(names, rows): &&mut (BTreeSet<&str>, Vec<Place>)| {
                let first = rows[0];
                let heading = &stated[first.0][first.1].heading;
                cards[first.0].path == cards[rank].path
                    && (row.heading.is_empty() || row.heading == *heading)
                    && (names.is_subset(&columns) || columns.is_subset(names))
            };
            match tables.iter_mut().rev().find(goes_on) {
                Some((names, rows)) => {
                    names.extend(columns);
                    rows.push((rank, index));
                }
                None => tables.push((columns, vec![(rank, index)])),
            }
        }
    }
    tables.into_iter().map(|(_, rows)| rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements_in;
    use crate::offline::testing::card;

    #[test]
    fn rows_with_the_same_columns_below_one_heading() {
        let check = |texts: &[(&str, usize, &str)], expected: &[&[&str]]| {
            let cards: Vec<EvidenceCard> = texts
                .iter()
                .map(|&(path, at, text)| EvidenceCard { path: path.to_owned(), at, ..card(1, "", "", text) })
                .collect();
            let stated: Vec<Vec<Statement>> = (0..cards.len()).map(|index| statements_in(&cards, index)).collect();
            let found = tables(&cards.iter().collect::<Vec<_>>(), &stated);
            let texts =
                |rows: &Vec<Place>| rows.iter().map(|&(rank, index)| stated[rank][index].text.clone()).collect();
            let found: Vec<Vec<String>> = found.iter().map(texts).collect();
            assert_eq!(found, expected);
        };
        let (rents, staff) =
            ("| Branch | Rent |\n|---|---|\n| York | 1 |\n| Hull | 2 |", "| Branch | Staff |\n|---|---|\n| York | 3 |");
        let (york, hull) = ("Branch: York; Rent: 1", "Branch: Hull; Rent: 2");
        check(&[("a", 0, rents), ("b", 0, rents)], &[&[york, hull], &[york, hull]]);
        check(&[("a", 0, &format!("{rents}\n\n{staff}"))], &[&[york, hull], &["Branch: York; Staff: 3"]]);
        check(&[("a", 0, &format!("# 2023\n\n{rents}\n\n# 2024\n\n{rents}"))], &[&[york, hull], &[york, hull]]);
        // The second passage continues the first, in whichever order they were found.
        check(&[("a", 90, "| Ely | 4 |"), ("a", 0, rents)], &[&[york, hull, "Branch: Ely; Rent: 4"]]);
    }
}
