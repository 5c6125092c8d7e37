//! Tests help, version, completions and manual: they go to standard output and touch nothing.

use std::io::Read;
use std::process::Stdio;

use crate::harness::{TestDir, files_below};

/// All commands of the program.
fn commands() -> Vec<String> {
    let commands: Vec<String> =
        deepsearch::cli::command().get_subcommands().map(|one| one.get_name().to_owned()).collect();
    assert!(commands.len() > 10, "only {commands:?}");
    commands
}

#[test]
fn help_names_every_command_and_touches_nothing() {
    let dir = TestDir::new();
    let help = dir.run(&["--help"]).ends_with(0).stderr_is("").stdout_has("Exit codes:");
    for command in commands() {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}: {}", help.stdout);
        dir.run(&[&command, "--help"]).ends_with(0).stderr_is("").stdout_has("Usage: deepsearch");
    }
    dir.run(&["--version"]).ends_with(0).stdout_has(concat!("deepsearch ", env!("CARGO_PKG_VERSION")));
    assert!(files_below(&dir.path("")).is_empty());
    assert!(!dir.data().exists());
}

#[test]
fn help_needs_neither_home_nor_sound_settings() {
    let dir = TestDir::new();
    dir.write("work/deepsearch.toml", "nonsense");
    dir.run(&["--help"]).without_env("HOME").ends_with(0).stderr_is("");
    dir.run(&["completions", "bash"]).ends_with(0).stderr_is("");
}

#[test]
fn help_is_free_of_control_characters_in_a_pipe() {
    let dir = TestDir::new();
    let plain = dir.run(&["--help"]).ends_with(0);
    assert!(!plain.stdout.contains('\x1b'));
    dir.run(&["--help", "--color", "always"]).ends_with(0).stdout_has("\x1b[");
}

#[test]
fn completions_exist_for_each_shell() {
    let dir = TestDir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = dir.run(&["completions", shell]).ends_with(0).stderr_is("");
        for command in commands() {
            assert!(script.stdout.contains(&command), "{shell} lacks {command}");
        }
    }
    dir.run(&["completions", "tcsh"]).ends_with(2).stderr_has("possible values");
}

#[test]
fn the_manual_is_one_page_or_a_folder_of_pages() {
    let dir = TestDir::new();
    dir.run(&["man"]).ends_with(0).stderr_is("").stdout_has(".TH deepsearch 1");
    let target = dir.path("pages");
    dir.run(&["man", "--dir", target.to_str().unwrap()]).ends_with(0).stdout_is("");
    for command in commands() {
        assert!(target.join(format!("deepsearch-{command}.1")).is_file(), "{command}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let dir = TestDir::new();
    for arguments in [&["completions", "zsh"][..], &["man"], &["config", "show"], &["--help"]] {
        let mut child =
            dir.run(arguments).into_command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Closed before the first byte is read, so that every write meets a pipe without a reader.
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
