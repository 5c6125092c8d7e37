//! Archives read in place, sound and broken ones.

use std::io::{Cursor, Write};

use super::*;

/// A zip archive of these members.
fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("started");
        writer.write_all(content).expect("written");
    }
    writer.finish().expect("finished").into_inner()
}

/// A tar archive of these members; names are written as given, unchecked.
fn tarred(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mtime(86_400);
        header.set_cksum();
        builder.append(&header, *content).expect("appended");
    }
    builder.into_inner().expect("finished")
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn zstded(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("encoded")
}

impl Bench {
    /// `name: reason` of everything that could not be loaded, with names relative to the folder.
    fn failed(&self, summary: &LoadSummary) -> Vec<String> {
        let root = format!("{}/", self.path("").display());
        let root = root.replace("//", "/");
        summary.failed.iter().map(|one| format!("{}: {}", one.path.replace(&root, ""), one.reason)).collect()
    }
}

#[test]
fn members_are_documents_of_their_own() {
    let bench = Bench::new(&[("x/plain.md", "plain")]);
    let members: &[(&str, &[u8])] = &[("in/a.md", b"# A\n\nalpha"), ("b.txt", b"bravo"), ("photo.png", b"\x89PNG")];
    bench.write("x/one.zip", &zipped(members));
    bench.write("x/two.tar", &tarred(members));
    bench.write("x/three.tgz", &gzipped(&tarred(members)));
    bench.write("x/four.tar.zst", &zstded(&tarred(members)));
    bench.write("x/five.md.gz", &gzipped(b"# Five\n\nfive"));
    bench.write("x/six.md.zst", &zstded(b"# Six\n\nsix"));
    // Its name is wrong, but its content is sound.
    bench.write("x/seven.zip", &gzipped(&tarred(&[("a.md", b"seven")])));
    bench.write("x/eight.zip", &zipped(&[("inner.tar.gz", &gzipped(&tarred(&[("deep/a.md", b"eight")])))]));
    let summary = bench.load(&["x"]);
    assert_eq!(bench.failed(&summary), Vec::<String>::new());
    let expected = [
        "eight.zip!/inner.tar.gz!/deep/a.md",
        "five.md.gz!/five.md",
        "four.tar.zst!/b.txt",
        "four.tar.zst!/in/a.md",
        "one.zip!/b.txt",
        "one.zip!/in/a.md",
        "plain.md",
        "seven.zip!/a.md",
        "six.md.zst!/six.md",
        "three.tgz!/b.txt",
        "three.tgz!/in/a.md",
        "two.tar!/b.txt",
        "two.tar!/in/a.md",
    ];
    assert_eq!(bench.stored(), expected.map(|path| format!("x: x/{path}")));
    assert_eq!((summary.files, summary.new, summary.skipped), (13, 13, 4));
    let title = bench.store.with(|state| {
        let path = bench.path("x/two.tar!/in/a.md").display().to_string();
        state.documents[&("x".to_owned(), path)].0.clone()
    });
    assert_eq!((title.title.as_str(), title.modified_ns), ("A", 86_400_000_000_000));
}

#[test]
fn names_without_a_charset_are_read_in_that_of_all_of_them() {
    fn check(names: [&[u8]; 2], expected: [&str; 2]) {
        // The zip writer writes only UTF-8 names, so they are replaced afterwards.
        let given = [("a", names[0]), ("b", names[1])].map(|(letter, name)| letter.repeat(name.len()));
        let mut archive = zipped(&[(given[0].as_str(), b"One."), (given[1].as_str(), b"Two.")]);
        for (name, given) in names.iter().zip(&given) {
            let places = (0..archive.len() - name.len()).filter(|&at| archive[at..].starts_with(given.as_bytes()));
            for at in places.collect::<Vec<_>>() {
                archive[at..at + name.len()].copy_from_slice(name);
            }
        }
        let bench = Bench::new(&[]);
        bench.write("x/names.zip", &archive);
        let summary = bench.load(&["x"]);
        assert_eq!(bench.failed(&summary), Vec::<String>::new());
        let mut stored = bench.stored();
        stored.sort();
        assert_eq!(stored, expected.map(|name| format!("x: x/names.zip!/{name}")));
    }
    let encoded = |name: &str| encoding_rs::SHIFT_JIS.encode(name).0.into_owned();
    let (weir, water) = ("堤防/点検の記録.txt", "水位の表.txt");
    check([&encoded(weir), &encoded(water)], [weir, water]);
    check([b"Gr\x94\xe1e.txt", b"K\x84se f\x81r M\x81ller.txt"], ["Größe.txt", "Käse für Müller.txt"]);
}

#[test]
fn an_archive_is_read_when_it_changed() {
    let bench = Bench::new(&[]);
    // An empty member gives no document, and does not cause the archive to be read again.
    bench.write("x/a.zip", &zipped(&[("a.md", b"alpha"), ("b.md", b"bravo"), ("__init__.py", b"")]));
    bench.date("x/a.zip", 1_000);
    let first = bench.load(&["x"]);
    assert_eq!((first.new, first.empty.len(), first.archives.len()), (2, 1, 1));
    let request = LoadRequest { archives: first.archives.clone(), ..bench.request(&["x"]) };
    // Size and time are unchanged: the content is not read, so its change goes unnoticed.
    let other = zipped(&[("a.md", b"ALPHA"), ("b.md", b"BRAVO"), ("__init__.py", b"")]);
    bench.write("x/a.zip", &other);
    bench.date("x/a.zip", 1_000);
    assert_eq!(counts(&bench.run(&request).expect("loads")), (0, 0, 2, 0, 0));
    // If its documents are gone from the store, it is opened.
    bench.store.with(|state| state.documents.clear());
    assert_eq!(counts(&bench.run(&request).expect("loads")), (2, 0, 0, 0, 0));

    // One member changed, one is gone, one is new: the archive is one source, so no pruning need be asked for.
    bench.write("x/a.zip", &zipped(&[("a.md", b"ALPHA!"), ("c.md", b"charlie")]));
    bench.date("x/a.zip", 2_000);
    let summary = bench.run(&request).expect("loads");
    assert_eq!(counts(&summary), (1, 1, 0, 1, 0));
    assert_eq!(bench.stored(), ["x: x/a.zip!/a.md", "x: x/a.zip!/c.md"]);

    // The members of a moved archive are moved; those of an archive that is gone are pruned only on request.
    std::fs::rename(bench.path("x/a.zip"), bench.path("x/b.zip")).expect("renamed");
    let request = LoadRequest { archives: summary.archives, ..bench.request(&["x"]) };
    let summary = bench.run(&request).expect("loads");
    assert_eq!((counts(&summary), summary.moved), ((0, 0, 0, 0, 0), 2));
    bench.write("x/c.md", b"c");
    std::fs::remove_file(bench.path("x/b.zip")).expect("removed");
    assert_eq!(counts(&bench.run(&request).expect("loads")), (1, 0, 0, 0, 0));
    assert_eq!(counts(&bench.run(&LoadRequest { prune: true, ..request }).expect("loads")), (0, 0, 1, 2, 0));
    assert_eq!(bench.stored(), ["x: x/c.md"]);
}

#[test]
fn a_broken_archive_keeps_what_is_known_of_it() {
    let bench = Bench::new(&[("x/z.md", "z")]);
    let long = "word ".repeat(4_000);
    let whole = gzipped(&tarred(&[("a.md", b"alpha"), ("b.md", long.as_bytes()), ("c.md", b"charlie")]));
    bench.write("x/a.tgz", &whole);
    bench.load(&["x"]);
    bench.write("x/a.tgz", &whole[..whole.len() - 20]);
    let summary = bench.load(&["x"]);
    assert!(bench.failed(&summary).last().expect("named").starts_with("x/a.tgz"), "{:?}", summary.failed);
    assert_eq!((summary.removed, summary.archives.len()), (0, 0));
    assert_eq!(bench.stored().len(), 4, "what could not be seen is unknown, not gone");
    // The next load reports it again.
    assert!(!bench.load(&["x"]).failed.is_empty());
}

#[test]
fn no_member_leads_out() {
    let bench = Bench::new(&[]);
    let members: &[(&str, &[u8])] = &[
        ("../up.md", b"up"),
        ("/abs.md", b"abs"),
        ("a\\..\\..\\b.md", b"b"),
        ("good.md", b"good"),
        ("d/.h/x.md", b"h"),
    ];
    bench.write("x/a.tar", &tarred(members));
    bench.write("x/b.zip", &zipped(members));
    let mut links = tar::Builder::new(tarred(&[]));
    for (name, target) in [("out", "../../etc/passwd"), ("in", "good.md")] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        links.append_link(&mut header, name, target).expect("appended");
    }
    let links = links.into_inner().expect("finished");
    // Skips the end blocks of the empty archive at the beginning.
    bench.write("x/c.tar", &links[1024..]);
    let summary = bench.load(&["x"]);
    assert_eq!(bench.stored(), ["x: x/a.tar!/good.md", "x: x/b.zip!/good.md"]);
    let failed = bench.failed(&summary);
    for archive in ["x/a.tar", "x/b.zip"] {
        for name in ["../up.md", "/abs.md", "a\\..\\..\\b.md"] {
            let named = failed.iter().filter(|one| one.starts_with(&format!("{archive}!/{name}: its name"))).count();
            assert_eq!(named, 1, "{archive} {name}: {failed:?}");
        }
    }
    assert!(failed[6].starts_with("x/c.tar!/out: a link that leads out"), "{failed:?}");
    assert_eq!(failed.len(), 7, "{failed:?}");
}

#[test]
fn a_bomb_is_named() {
    fn check(
        archive: &str,
        bytes: &[u8],
        change: fn(&mut crate::documents::archive::ArchiveLimits),
        expected: &[&str],
    ) {
        let bench = Bench::new(&[("x/zz.md", "the rest")]);
        bench.write(&format!("x/{archive}"), bytes);
        let mut request = bench.request(&["x"]);
        change(&mut request.options.archives);
        let summary = bench.run(&request).expect("loads");
        let failed = bench.failed(&summary);
        assert_eq!(failed.len(), expected.len(), "{failed:?}");
        for (found, expected) in failed.iter().zip(expected) {
            assert!(found.contains(expected), "{found} lacks {expected}");
        }
        assert!(bench.stored().contains(&"x: x/zz.md".to_owned()), "the rest is loaded");
        assert!(summary.archives.is_empty());
    }
    let zeros = vec![b'0'; 40 << 20];
    let zip = zipped(&[("a.txt", &zeros)]);
    check("bomb.zip", &zip, |_| {}, &["bomb.zip!/a.txt: it unpacks to more than 200 times", "bomb.zip: it unpacks to"]);
    check(
        "bomb.txt.gz",
        &gzipped(&zeros),
        |_| {},
        &["bomb.txt: it unpacks to more than 200", "bomb.txt.gz: it unpacks"],
    );
    check("bomb.tar.zst", &zstded(&tarred(&[("a.txt", &zeros)])), |_| {}, &["a.txt: it unpacks", "bomb.tar.zst: it"]);
    check("nested.zip", &zipped(&[("in.zip", &zip)]), |_| {}, &["in.zip!/a.txt: it unpacks", "nested.zip: it unpacks"]);
    let small = zipped(&[("a.md", b"a")]);
    let deep = zipped(&[("2.zip", &zipped(&[("3.zip", &small)]))]);
    check("deep.zip", &deep, |_| {}, &["deep.zip!/2.zip!/3.zip: archives are read 2 deep"]);
    let many = zipped(&[("a.md", b"a"), ("b.md", b"b"), ("c.md", b"c")]);
    check("many.zip", &many, |limits| limits.members = 2, &["many.zip: it has more than 2 members"]);
    check("big.zip", &many, |limits| limits.bytes = 2, &["c.md: it unpacks to more than 0 MiB", "big.zip: it unpacks"]);
    // A header that announces an endless name.
    let mut long = tar::Header::new_gnu();
    long.set_entry_type(tar::EntryType::GNULongName);
    long.set_size(4 << 20);
    long.set_cksum();
    let mut tar = tar::Builder::new(Vec::new());
    tar.append(&long, &zeros[..4 << 20]).expect("appended");
    let bytes = tar.into_inner().expect("finished");
    check("name.tar", &bytes, |_| {}, &["name.tar: a header in it is larger"]);
    check("not.zip", b"no archive at all", |_| {}, &["not.zip: its name says that it is an archive"]);
}

#[test]
fn a_bad_member_does_not_stop_the_others() {
    let bench = Bench::new(&[]);
    let mut bytes =
        zipped(&[("a.md", b"alpha alpha alpha"), ("b.md", b"bravo"), ("c.md", b"charlie"), ("b.bin.md", b"\0\x01")]);
    // Damage to the first member's content: its checksum no longer matches.
    let at = 30 + "a.md".len() + 3;
    bytes[at] ^= 0x55;
    bench.write("x/a.zip", &bytes);
    let summary = bench.load(&["x"]);
    assert_eq!(bench.stored(), ["x: x/a.zip!/b.md", "x: x/a.zip!/c.md"]);
    let failed = bench.failed(&summary);
    assert!(failed[0].starts_with("x/a.zip!/a.md: ") && failed[1].starts_with("x/a.zip!/b.bin.md: "), "{failed:?}");
    // An archive may be named itself; only members longer than allowed are refused.
    let bench = Bench::new(&[]);
    bench.write("x/a.zip", &zipped(&[("a.md", &[b'a'; 100]), ("b.md", b"bravo")]));
    bench.write("x/long.txt.gz", &gzipped(&[b'a'; 100]));
    let mut request = bench.request(&["x/a.zip", "x/long.txt.gz"]);
    request.options.max_file_bytes = 50;
    request.options.archives.file_bytes = 50;
    let summary = bench.run(&request).expect("loads");
    let failed = bench.failed(&summary);
    assert!(failed[0].starts_with("x/a.zip!/a.md: it has 100 bytes"), "{failed:?}");
    assert!(failed[1].starts_with("x/long.txt.gz!/long.txt: it has more than 50 bytes"), "{failed:?}");
    assert!(bench.stored().iter().any(|stored| stored.ends_with("x/a.zip!/b.md")), "{:?}", bench.stored());
}

#[test]
fn a_mailbox_is_an_archive_of_messages() {
    let bench = Bench::new(&[]);
    let message = |id: &str, words: &str| {
        format!(
            "From a@example.org Mon Jan  1 00:00:00 2024\nMessage-ID: <{id}>\nSubject: On {words}\n\nOf {words}.\n\n"
        )
    };
    bench.write("x/in.mbox", (message("1@x", "apples") + &message("2@x", "pears")).as_bytes());
    assert_eq!(counts(&bench.load(&["x"])), (2, 0, 0, 0, 0));
    assert_eq!(bench.stored(), ["x: x/in.mbox!/1@x.eml", "x: x/in.mbox!/2@x.eml"]);
    // The first message is deleted and two are added: the other is unchanged.
    bench.write("x/in.mbox", (message("2@x", "pears") + &message("3@x", "plums") + &message("3@x", "figs")).as_bytes());
    assert_eq!(counts(&bench.load(&["x"])), (2, 0, 1, 1, 0));
    assert_eq!(bench.stored(), ["2@x.eml", "3@x (2).eml", "3@x.eml"].map(|name| format!("x: x/in.mbox!/{name}")));
}

#[test]
fn a_small_budget_lets_an_archive_through() {
    let bench = Bench::new(&[]);
    let long = "word ".repeat(1_000);
    let members: Vec<(String, &[u8])> = (0..20).map(|n| (format!("{n:02}.md"), long.as_bytes())).collect();
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    bench.write("x/a.zip", &zipped(&members));
    bench.write("x/b.md.gz", &gzipped(long.as_bytes()));
    let mut request = bench.request(&["x"]);
    request.options.in_flight_bytes = 6_000;
    request.options.batch_wait = Duration::from_millis(1);
    assert_eq!(counts(&bench.run(&request).expect("loads")), (21, 0, 0, 0, 0));
}
