//! Tests a full and a read-only disk, each in a mount namespace of its own, which ends with the process. If the system
//! grants no namespaces, nothing is tested.

use std::process::Command;

use crate::harness::TestDir;

/// Runs a shell script in a fresh namespace, where `$D` is the program on the data folder `data`, on a disk of 1 MB.
/// `None` if there are no namespaces.
fn on_a_small_disk(dir: &TestDir, script: &str) -> Option<String> {
    let disk = dir.path("disk");
    std::fs::create_dir_all(&disk).unwrap();
    let mount = "mount -t tmpfs -o size=1m tmpfs";
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script]).env_clear();
        command
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", dir.path("home"))
            .current_dir(dir.path("work"));
        command.output()
    };
    let granted = unshare(&format!("{mount} {}", disk.display()));
    if !granted.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let setup = format!(
        "disk='{0}'; {mount} \"$disk\"; P={1}; D=\"$P --data-dir {0}/data\"; resize() {{ mount -o \"remount,$1\" \"$disk\"; }}",
        disk.display(),
        env!("CARGO_BIN_EXE_deepsearch"),
    );
    let output = unshare(&format!("exec 2>&1; {setup}\n{script}")).unwrap();
    Some(String::from_utf8(output.stdout).unwrap().replace(&*disk.to_string_lossy(), "DISK"))
}

/// Writes about 300 kB of hardly compressible words, in 100 files.
fn write_documents(dir: &TestDir) {
    let mut state = 1u64;
    for number in 0..100 {
        let mut text = String::new();
        for _ in 0..400 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(&format!("w{:x} ", state >> 40));
        }
        dir.write(&format!("work/docs/{number:03}.txt"), format!("quince {text}\n"));
    }
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let dir = TestDir::new();
    write_documents(&dir);
    dir.write("work/small/a.md", "One document about pears.\n");
    let script = "$D load small --embedder none; echo \"ended $?\"\n\
                  $D load docs --embedder none; echo \"ended $?\"\n\
                  $D -q search pears --json; echo \"ended $?\"\n\
                  resize size=64m; $D load docs --embedder none; echo \"ended $?\"\n\
                  $D -q search quince -k 200 --json | grep -c '\"document\"'; $D -q read small/a.md";
    let Some(output) = on_a_small_disk(&dir, script) else { return };
    let steps: Vec<&str> = output.split("ended ").collect();
    let [small, full, search, again, rest] = steps.as_slice() else { panic!("{output}") };
    assert!(small.contains("1 new"), "{output}");
    assert!(full.starts_with("0\n") && full.contains("error: no space left while writing to DISK/data; "), "{output}");
    assert!(full.contains("hint: free some space and run the same command again"), "{output}");
    assert!(search.starts_with("1\n") && search.contains("One document about pears."), "{output}");
    assert!(again.starts_with("0\n") && again.contains("100 files in docs: "), "{output}");
    assert_eq!(*rest, "0\n100\nOne document about pears.\n", "{output}");
}

#[test]
fn a_run_needs_no_room_for_its_journal() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "The trade in pears earned 536 million dollars.\n");
    let script = "$D load docs --embedder none; head -c 2m /dev/zero > \"$disk/filler\"\n\
                  $D query 'How much did the trade in pears earn?'; echo \"ended $?\"; $D runs; echo \"ended $?\"\n\
                  rm \"$disk/filler\"; rm -rf \"$disk/data/runs\"; resize ro\n\
                  $D query 'How much did the trade in pears earn?'; echo \"ended $?\"";
    let Some(output) = on_a_small_disk(&dir, script) else { return };
    let steps: Vec<&str> = output.split("ended ").collect();
    let [full, list, read_only, end] = steps.as_slice() else { panic!("{output}") };
    for query in [full, read_only] {
        let warnings: Vec<&str> = query.lines().filter(|line| line.starts_with("warning: ")).collect();
        let (journal, rest): (Vec<&str>, Vec<&str>) = warnings.iter().partition(|line| line.contains(" journal"));
        assert_eq!(journal.len(), 1, "{output}");
        assert!(rest.iter().all(|line| line.contains("memory")), "{output}");
        assert!(query.contains("536 million dollars"), "{output}");
    }
    assert!(list.starts_with("0\n") && read_only.starts_with("0\n") && *end == "0\n", "{output}");
}

#[test]
fn a_read_only_disk_can_be_searched_and_a_load_says_why_not() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "One document about pears.\n");
    let script = "$D load docs --embedder none; resize ro\n\
                  $D -q search pears --json; echo \"ended $?\"\n\
                  $D load docs --embedder none; echo \"ended $?\"\n\
                  echo 'And about quinces.' > docs/b.md; $D load docs --embedder none; echo \"ended $?\"\n\
                  $P --data-dir $disk/other load docs; echo \"ended $?\"; $D collections drop docs --yes; echo \"ended $?\"\n\
                  $D memory list; echo \"ended $?\"; $D memory search 'new document'; echo \"ended $?\"";
    let Some(output) = on_a_small_disk(&dir, script) else { return };
    let steps: Vec<&str> = output.split("ended ").collect();
    let [search, same, more, other, drop, memory, recalled, end] = steps.as_slice() else { panic!("{output}") };
    assert!(search.contains("1 new") && search.contains("One document about pears."), "{output}");
    // Nothing has changed, so nothing is written.
    assert!(same.starts_with("0\n") && same.contains("1 unchanged"), "{output}");
    for (step, before) in [(more, "0"), (other, "1"), (drop, "1")] {
        assert!(step.starts_with(before) && step.contains("error: cannot write to DISK/"), "{output}");
        assert!(step.contains("hint: choose another folder with --data-dir DIR"), "{output}");
    }
    assert!(memory.starts_with("1\n") && memory.contains("1 new document in docs"), "{output}");
    assert!(recalled.starts_with("0\n") && recalled.contains("1 new document in docs"), "{output}");
    assert_eq!(*end, "0\n", "{output}");
}
