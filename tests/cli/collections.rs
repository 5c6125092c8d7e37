//! Tests collections, before anything is loaded and when their embedder changes.

use crate::harness::TestDir;

#[test]
fn an_empty_store_has_no_collections_and_says_what_to_do() {
    let dir = TestDir::new();
    for arguments in [&["collections"][..], &["collections", "list"]] {
        dir.run(arguments).ends_with(0).stdout_is("").stderr_has("deepsearch load ./docs");
    }
    dir.run(&["collections", "list", "--json"]).ends_with(0).stdout_is("[]\n").stderr_is("");
    dir.run(&["-q", "collections"]).ends_with(0).stdout_is("").stderr_is("");
    assert!(!dir.data().exists(), "asking makes no folder");
}

#[test]
fn a_name_that_is_not_there_is_told() {
    let dir = TestDir::new();
    let arguments: [&[&str]; 5] = [
        &["show", "notes"],
        &["describe", "notes", "text"],
        &["rename", "notes", "b"],
        &["reembed", "notes"],
        &["drop", "notes", "--yes"],
    ];
    for rest in arguments {
        let run = dir.run(&[&["collections"], rest].concat());
        run.ends_with(1).stdout_is("").stderr_has("there is no collection `notes`");
    }
    dir.run(&["read", "notes.md"]).ends_with(4).stdout_is("").stderr_has("no document `notes.md` is loaded");
    dir.run(&["search", "anything"]).ends_with(4).stdout_is("").stderr_has("deepsearch load ./docs");
    assert!(!dir.data().exists(), "asking makes no folder");
}

#[test]
fn a_data_folder_that_is_a_file_is_told() {
    let dir = TestDir::new();
    dir.write("data", "not a folder");
    for arguments in [&["collections"][..], &["search", "x"], &["read", "x"]] {
        dir.run(arguments).ends_with(1).stdout_is("").stderr_has("the data folder DIR/data is a file");
    }
    assert_eq!(std::fs::read_to_string(dir.data()).unwrap(), "not a folder");
}

#[test]
fn a_collection_changes_its_embedder() {
    let dir = TestDir::new();
    dir.write("work/notes/oxen.txt", "Oxen plough the fields in spring.\n");
    dir.write("work/notes/ships.txt", "Ships carry grain over the sea.\n");
    dir.run(&["load", "notes", "--embedder", "none"]).ends_with(0);
    let semantic = ["search", "cattle at work on a farm", "--mode", "semantic", "--json"];
    dir.run(&semantic).ends_with(2).stderr_has("--mode keyword");

    let reembed = ["collections", "reembed", "notes", "--embedder", "minilm"];
    dir.run(&reembed).ends_with(0).stdout_has("`notes` from none to minilm: 2 documents, 2 passages in");
    dir.run(&semantic).ends_with(0).stdout_has("oxen.txt");
    dir.run(&reembed).ends_with(0).stdout_is("`notes` has the vectors of minilm already\n");

    // Loading with another embedder is refused with the command that changes it, and that command works.
    let again = ["load", "notes", "--embedder", "none"];
    dir.run(&again).ends_with(1).stderr_has("deepsearch collections reembed notes --embedder none");
    dir.run(&["collections", "reembed", "notes", "--embedder", "none", "--json"])
        .ends_with(0)
        .stdout_has("\"from\": \"minilm\"")
        .stdout_has("\"to\": null");
    dir.run(&again).ends_with(0).stdout_has("2 unchanged");
    dir.run(&semantic).ends_with(2);
    dir.run(&["collections", "reembed", "notes", "--embedder", "no-such"]).ends_with(2).stderr_has("no-such");
}
