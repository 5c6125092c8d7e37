//! Collections where nothing was loaded yet.

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
    let arguments: [&[&str]; 4] =
        [&["show", "notes"], &["describe", "notes", "text"], &["rename", "notes", "b"], &["drop", "notes", "--yes"]];
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
