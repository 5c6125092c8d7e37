//! What the register keeps from load to load, and how it handles a damaged file.

use std::path::PathBuf;

use jiff::Timestamp;

use super::*;
use crate::base::ContentHash;
use crate::ingest::{ArchiveRecord, ChangeKind, DocumentChange, PartialRecord};
use crate::sources::FailedFile;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a time")
}

fn known(path: &str, collection: Option<&str>, collections: &[&str], second: i64) -> KnownSource {
    KnownSource {
        source: Source::Files { path: PathBuf::from(path) },
        collection: collection.map(str::to_owned),
        collection_per_dir: false,
        collections: collections.iter().map(ToString::to_string).collect(),
        first_loaded: at(second),
        last_loaded: at(second),
    }
}

#[test]
fn a_source_keeps_when_it_was_first_loaded() {
    let folder = tempfile::tempdir().expect("made");
    assert!(Register::existing(folder.path()).expect("read").is_none());
    let mut register = Register::open(folder.path()).expect("opened");
    register.record_sources(&[known("/a", None, &["a"], 1), known("/b", Some("x"), &["x"], 1)]).expect("noted");
    register.record_sources(&[known("/a", None, &["a", "b"], 5), known("/a", Some("y"), &["y"], 6)]).expect("noted");
    let expected = [
        KnownSource { last_loaded: at(5), ..known("/a", None, &["a", "b"], 1) },
        known("/b", Some("x"), &["x"], 1),
        known("/a", Some("y"), &["y"], 6),
    ];
    drop(register);
    let mut register = Register::existing(folder.path()).expect("read").expect("there");
    assert_eq!(register.sources().expect("listed"), expected);
    assert!(register.forget_source(&expected[0]).is_err(), "opened for reading alone");
    register = Register::open(folder.path()).expect("opened");
    assert!(register.forget_source(&expected[0]).expect("forgotten"));
    assert!(!register.forget_source(&expected[0]).expect("nothing to do"));
    assert_eq!(register.sources().expect("listed"), expected[1..]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_not_empty() {
    let folder = tempfile::tempdir().expect("made");
    assert!(Register::existing(&folder.path().join("nothing")).expect("read").is_none());
    std::fs::write(folder.path().join("file"), "").expect("written");
    let refused = Register::existing(&folder.path().join("file/data")).map(drop);
    assert!(matches!(refused, Err(RegisterError::Unreadable { .. })), "{refused:?}");
}

#[test]
fn sources_follow_their_collections() {
    let folder = tempfile::tempdir().expect("made");
    let mut register = Register::open(folder.path()).expect("opened");
    register.record_sources(&[known("/a", None, &["a"], 1), known("/b", Some("a"), &["a"], 1)]).expect("noted");
    register.rename_collection("a", "new").expect("renamed");
    // The folder is still called `a`, and would be loaded into another collection if its own were not recorded.
    let expected = [known("/a", Some("new"), &["new"], 1), known("/b", Some("new"), &["new"], 1)];
    assert_eq!(register.sources().expect("listed"), expected);
    assert_eq!(register.drop_collection("a").expect("dropped"), []);
    assert_eq!(register.drop_collection("new").expect("dropped"), expected);
    assert_eq!(register.sources().expect("listed"), []);
}

#[test]
fn a_history_follows_its_document() {
    let folder = tempfile::tempdir().expect("made");
    let mut register = Register::open(folder.path()).expect("opened");
    let change = |change, path: &str, from: Option<&str>| DocumentChange {
        change,
        collection: "docs".to_owned(),
        path: path.to_owned(),
        from: from.map(str::to_owned),
    };
    let loads = [
        vec![change(ChangeKind::New, "/d/a.md", None), change(ChangeKind::New, "/d/other.md", None)],
        vec![change(ChangeKind::Changed, "/d/a.md", None)],
        vec![change(ChangeKind::Moved, "/d/b.md", Some("/d/a.md")), change(ChangeKind::New, "/d/a.md", None)],
        vec![change(ChangeKind::Moved, "/e/c.md", Some("/d/b.md"))],
        vec![change(ChangeKind::Removed, "/e/c.md", None)],
    ];
    for (second, changes) in (1..).zip(&loads) {
        register.note_changes(changes, at(second)).expect("noted");
    }
    let told = |path: &str| -> Vec<String> {
        let events = register.history(path).expect("read");
        events.iter().map(|one| format!("{} {} {}", one.at.as_second(), one.what.name(), one.path)).collect()
    };
    let expected =
        ["1 first seen /d/a.md", "2 changed /d/a.md", "3 moved /d/b.md", "4 moved /e/c.md", "5 gone /e/c.md"];
    assert_eq!(told("/e/c.md"), expected);
    assert_eq!(told("c.md"), expected);
    // The document that now has the first path is another one.
    assert_eq!(
        told("d/a.md"),
        ["1 first seen /d/a.md", "2 changed /d/a.md", "3 moved /d/b.md", "3 first seen /d/a.md"]
    );
    assert_eq!(told("other.md"), ["1 first seen /d/other.md"]);
    assert_eq!(told("ther.md"), Vec::<String>::new());
    let last = register.last_events(2).expect("read");
    assert_eq!(last.iter().map(|one| one.what).collect::<Vec<_>>(), [HistoryEvent::Moved, HistoryEvent::Gone]);
}

#[test]
fn archives_are_kept_by_collection() {
    let folder = tempfile::tempdir().expect("made");
    let mut register = Register::open(folder.path()).expect("opened");
    let archive = |collection: &str, documents| ArchiveRecord {
        collection: collection.to_owned(),
        path: "/a.zip".to_owned(),
        bytes: 7,
        modified_ns: -1,
        documents,
    };
    register.note_archives(&[archive("x", 1), archive("y", 1), archive("x", 2)]).expect("noted");
    assert_eq!(register.archives().expect("listed"), [archive("x", 2), archive("y", 1)]);
    register.drop_collection("y").expect("dropped");
    assert_eq!(register.archives().expect("listed"), [archive("x", 2)]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().expect("made");
    std::fs::write(folder.path().join(FILE), "not a database, but long enough to be taken for a damaged one")
        .expect("written");
    assert!(matches!(Register::existing(folder.path()), Err(RegisterError::Damaged { .. })));
    std::fs::remove_file(folder.path().join(FILE)).expect("removed");
    let newer = rusqlite::Connection::open(folder.path().join(FILE)).expect("opened");
    newer.pragma_update(None, "user_version", 9).expect("set");
    drop(newer);
    for refused in [Register::open(folder.path()).map(drop), Register::existing(folder.path()).map(drop)] {
        assert!(matches!(refused, Err(RegisterError::NewerFormat { found: 9, .. })), "{refused:?}");
    }
}

#[test]
fn the_last_load_says_what_could_not_be_read() {
    let folder = tempfile::tempdir().expect("made");
    let failed = |path: &str, reason: &str| FailedFile { path: path.to_owned(), reason: reason.to_owned() };
    let mut register = Register::open(folder.path()).expect("opened");
    let (a, b) = (known("/a", None, &["a"], 1), known("/a/b", Some("x"), &["x"], 1));
    register.record_sources(&[a.clone(), b.clone()]).expect("noted");
    let two = [failed("/a/1.pdf", "encrypted"), failed("/a/b/2.pdf", "broken")];
    register.note_unread(&[a.clone(), b.clone()], &two).expect("noted");
    let unread = |register: &Register, name: &str| register.unread(&[name.to_owned()]).expect("read");
    assert_eq!((unread(&register, "a"), unread(&register, "x")), (two[..1].to_vec(), two[1..].to_vec()));
    assert_eq!(register.unread(&[]).expect("read"), two);
    register.note_unread(&[a], &[]).expect("noted");
    assert_eq!(register.unread(&[]).expect("read"), two[1..]);
    register.forget_source(&b).expect("forgotten");
    assert_eq!(register.unread(&[]).expect("read"), []);
}

#[test]
fn what_could_not_be_read_is_noted_under_the_source_that_holds_it() {
    let folder = tempfile::tempdir().expect("made");
    let mut register = Register::open(folder.path()).expect("opened");
    let web = KnownSource {
        source: Source::Web {
            urls: vec!["https://a.example/docs/".to_owned()],
            depth: 1,
            max_pages: 9,
            links: Default::default(),
        },
        ..known("", Some("web"), &["web"], 1)
    };
    let known = [known("/z", None, &["z"], 1), known("/a/*.pdf", Some("x"), &["x"], 1), web];
    register.record_sources(&known).expect("noted");
    let failed: Vec<FailedFile> = ["/a/1.pdf", "/z/2.zip!/3.pdf", "https://a.example"]
        .map(|path| FailedFile { path: path.to_owned(), reason: "broken".to_owned() })
        .into();
    register.note_unread(&known, &failed).expect("noted");
    for (name, expected) in [("x", &failed[..1]), ("z", &failed[1..2]), ("web", &failed[2..])] {
        assert_eq!(register.unread(&[name.to_owned()]).expect("read"), expected, "{name}");
    }
}

#[test]
fn the_last_reading_in_part_is_kept_for_each_path() {
    let folder = tempfile::tempdir().expect("made");
    let partial = |path: &str, bytes: &[u8], reason: &str| PartialRecord {
        path: path.to_owned(),
        hash: ContentHash::of(bytes),
        reason: reason.to_owned(),
    };
    let mut register = Register::open(folder.path()).expect("opened");
    assert_eq!(register.partial().expect("read"), []);
    let (one, two) = (partial("/a/1.pdf", b"1", "page 3"), partial("/a/2.pdf", b"2", "page 4"));
    register.note_partial(&[two.clone(), one]).expect("noted");
    let newer = partial("/a/1.pdf", b"11", "page 5");
    register.note_partial(std::slice::from_ref(&newer)).expect("noted");
    assert_eq!(register.partial().expect("read"), [newer, two]);
}

#[test]
fn a_damaged_file_is_put_aside() {
    let folder = tempfile::tempdir().expect("made");
    let path = folder.path().join(FILE);
    let check = |damage: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let known = [known("/a", None, &["a"], 1)];
        Register::open(folder.path()).expect("opened").record_sources(&known).expect("noted");
        std::fs::write(&path, damage(std::fs::read(&path).expect("read"))).expect("written");
        let mut register = Register::open(folder.path()).expect("opened anew");
        assert_eq!(register.sources().expect("listed"), []);
        register.record_sources(&known).expect("noted");
        assert_eq!(register.sources().expect("listed"), known);
        assert!(folder.path().join(format!("{FILE}.damaged")).exists());
        drop(register);
        std::fs::remove_file(&path).expect("removed");
    };
    check(&|mut bytes| bytes.drain(..bytes.len() / 2).collect());
    check(&|_| b"this is no database".repeat(100));
}

/// Flipped bits or a truncated file: a load continues with what can be read, or reports that the file is damaged.
#[test]
fn damage_to_the_list_of_sources_is_told_or_does_not_matter() {
    let whole = tempfile::tempdir().expect("made");
    let known = [known("/a", None, &["a"], 1), known("/b", Some("x"), &["x", "y"], 2)];
    let mut register = Register::open(whole.path()).expect("opened");
    register.record_sources(&known).expect("noted");
    let change = |number: usize| DocumentChange {
        change: ChangeKind::New,
        collection: "a".to_owned(),
        path: format!("/a/{number}.md"),
        from: None,
    };
    register.note_changes(&(0..50).map(change).collect::<Vec<_>>(), at(3)).expect("noted");
    drop(register);
    let bytes = std::fs::read(whole.path().join(FILE)).expect("read");
    let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    let mut dice = crate::base::Rng::new(11);
    let (mut told, mut altered, mut right) = (0, 0, 0);
    for case in 0..120 {
        let folder = tempfile::tempdir().expect("made");
        let mut damaged = bytes.clone();
        match case % 6 {
            0 => damaged.truncate(dice.below(bytes.len())),
            _ => damaged[used[dice.below(used.len())]] ^= 1 << dice.below(8),
        }
        std::fs::write(folder.path().join(FILE), damaged).expect("written");
        let load = || {
            let mut register = Register::open(folder.path())?;
            let listed = register.sources()?;
            register.archives()?;
            register.record_sources(&known)?;
            register.note_changes(&[change(99)], at(4))?;
            register.history("/a/1.md")?;
            Ok(listed)
        };
        match load() {
            Ok(listed) if listed == known => right += 1,
            // A changed letter in a name: the next load reports what is missing.
            Ok(_) => altered += 1,
            Err(RegisterError::Damaged { .. } | RegisterError::NewerFormat { .. }) => told += 1,
            Err(error) => panic!("case {case}: {error}"),
        }
    }
    eprintln!("{told} told, {altered} with another name, {right} right");
    assert!(told > 0 && right > 0);
}
