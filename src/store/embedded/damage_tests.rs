//! Every file of a data folder is changed by a bit, cut or deleted, one after the other. A search then finds the right
//! results or is refused, the check names the damage, and the next writer repairs what can be repaired.

use std::path::PathBuf;

use super::*;
use crate::base::Rng;

/// Sets how many cases are tried; an ordinary test run tries a few.
const COUNT_VARIABLE: &str = "DEEPSEARCH_TEST_DAMAGE";
const FEW: usize = 90;

#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip,
    Cut,
    Delete,
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn wanted(few: usize) -> usize {
    std::env::var(COUNT_VARIABLE).ok().and_then(|count| count.parse().ok()).unwrap_or(few)
}

fn damage(path: &Path, how: Damage, dice: &mut Rng) {
    let mut content = std::fs::read(path).unwrap();
    let at = dice.below(content.len().max(1));
    match how {
        Damage::Delete => return std::fs::remove_file(path).unwrap(),
        Damage::Flip => content[at] ^= 1 << dice.below(8),
        Damage::Cut => content.truncate(at),
    }
    std::fs::write(path, content).unwrap();
}

/// Makes several segments with deleted rows, and a change that the derived files do not contain yet.
async fn fill(folder: &Path) -> Vec<String> {
    let store = open(folder);
    for step in 0..STEPS {
        load(&store, step).await;
        store.flush().await.unwrap();
    }
    contents(&store, &WORDS).await
}

/// Whether the file can be missing or have any content without harm.
fn is_of_no_weight(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".lock")
}

#[test]
fn damage_to_any_file_is_found_and_changes_no_answer() {
    let wanted = wanted(FEW);
    let whole = tempfile::tempdir().unwrap();
    let expected = block_on(fill(whole.path()));
    let files: Vec<PathBuf> = files_below(whole.path()).into_iter().filter(|path| !is_of_no_weight(path)).collect();
    let mut dice = Rng::new(7);
    let (mut refused, mut rebuilt) = (0, 0);
    for case in 0..wanted {
        let path = &files[case % files.len()];
        let how = [Damage::Flip, Damage::Cut, Damage::Delete][case / files.len() % 3];
        let name = path.strip_prefix(whole.path()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        copy(whole.path(), folder.path());
        damage(&folder.path().join(name), how, &mut dice);
        let case = format!("case {case}: {how:?} of {}", name.display());
        let Ok(store) = EmbeddedStore::open(folder.path(), &options()) else {
            refused += 1;
            continue;
        };
        block_on(async {
            let wrong = store.verify().await;
            // A missing version file is that of a new folder and is written again. In the lists, numbers that say
            // nothing about the files may have any value, and so may the names of files due for removal.
            let is_list = ["lexical/meta.json", "lexical/.managed.json"].iter().any(|list| name == Path::new(list));
            let may_be_any = name == Path::new("FORMAT") || (is_list && matches!(how, Damage::Flip));
            let is_found = !matches!(&wrong, Ok(found) if found.is_empty());
            // The catalog cannot be rebuilt from anything. Not all bytes of its pages have a meaning.
            if name.starts_with("catalog.sqlite") {
                if !is_found {
                    assert!(matches!(how, Damage::Flip), "{case} is not found");
                    assert_eq!(contents(&store, &WORDS).await, expected, "{case} is not found");
                }
                refused += 1;
                return;
            }
            assert!(may_be_any || is_found, "{case} is not found");
            assert_eq!(contents(&store, &WORDS).await, expected, "{case}");
            rebuilt += 1;
            drop(store);
            let again = open(folder.path());
            assert_eq!(again.verify().await.unwrap(), Vec::<String>::new(), "{case}: the damage is still there");
            again.put("docs", vec![document("/new", "quinces\n", true)]).await.unwrap();
            again.flush().await.unwrap();
            assert_eq!(found(&again, &[], "quinces", 9).await, ["quinces"], "{case}");
        });
    }
    eprintln!("{refused} refused, {rebuilt} made good, of {wanted}");
    assert!(refused > 0 && rebuilt > 0);
}

#[test]
fn a_changed_bit_of_the_catalog_is_found_or_changes_no_answer() {
    // The description of a collection has no hash, and no answer depends on it.
    async fn answers(store: &EmbeddedStore) -> Vec<String> {
        contents(store, &WORDS).await.into_iter().filter(|line| !line.starts_with("Collection {")).collect()
    }
    let whole = tempfile::tempdir().unwrap();
    block_on(fill(whole.path()));
    let expected = block_on(answers(&open(whole.path())));
    let content = std::fs::read(whole.path().join("catalog.sqlite")).unwrap();
    let mut dice = Rng::new(8);
    let (wanted, mut found) = (wanted(FEW / 3), 0);
    for case in 0..wanted {
        // Most of the pages are empty.
        let at = loop {
            let at = dice.below(content.len());
            if content[at] != 0 {
                break at;
            }
        };
        let mut changed = content.clone();
        changed[at] ^= 1 << dice.below(8);
        let folder = tempfile::tempdir().unwrap();
        copy(whole.path(), folder.path());
        std::fs::write(folder.path().join("catalog.sqlite"), changed).unwrap();
        let store = open(folder.path());
        block_on(async {
            if matches!(&store.verify().await, Ok(wrong) if wrong.is_empty()) {
                assert_eq!(answers(&store).await, expected, "case {case}: byte {at} is not found");
            } else {
                found += 1;
            }
        });
    }
    eprintln!("{found} of {wanted} found, the others mean nothing");
    assert!(found > 0);
}
