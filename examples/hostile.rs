//! Measures the load of hostile files: `hostile BINARY [NAME...]` puts each file of `tests/hostile` into a folder with
//! a good one, loads the folder with BINARY, and prints the peak memory of BINARY and its child processes together, the
//! time, whether the good file was stored, and the message about the hostile one. Linux only.

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]
#![expect(clippy::unwrap_used, reason = "a measurement ends where it cannot go on")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[path = "../tests/hostile/mod.rs"]
mod hostile;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().unwrap_or_else(|| "target/release/deepsearch".to_owned());
    let binary = fs::canonicalize(binary).unwrap();
    let wanted: Vec<String> = arguments.collect();
    println!("{:<32} {:>9} {:>8} {:>7} {:>5}  good  said", "file", "bytes", "peak MB", "s", "exit");
    for (name, bytes) in hostile::files() {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let (docs, data) = (folder.path().join("docs"), folder.path().join("data"));
        fs::create_dir(&docs).unwrap();
        fs::write(docs.join(name), &bytes).unwrap();
        fs::write(docs.join("good.md"), "# Good\n\nThe lighthouse was built in 1892.\n").unwrap();
        let start = Instant::now();
        let mut child = Command::new(&binary)
            .args(["load", "docs", "--collection", "c", "--embedder", "none"])
            .current_dir(folder.path())
            .env("DEEPSEARCH_DATA_DIR", &data)
            .env("CI", "true")
            .stdout(Stdio::null())
            .stderr(Stdio::from(fs::File::create(folder.path().join("said")).unwrap()))
            .spawn()
            .unwrap();
        let mut peak = 0;
        let status = loop {
            peak = peak.max(resident_kb(child.id()));
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if start.elapsed() > Duration::from_secs(120) => child.kill().unwrap(),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let found = Command::new(&binary)
            .args(["search", "lighthouse"])
            .current_dir(folder.path())
            .env("DEEPSEARCH_DATA_DIR", &data)
            .output()
            .unwrap();
        let good = if String::from_utf8_lossy(&found.stdout).contains("1892") { "yes" } else { "NO" };
        let said = fs::read_to_string(folder.path().join("said")).unwrap();
        let said: String = said.lines().next().unwrap_or_default().chars().take(150).collect();
        let code = status.code().map_or("-".to_owned(), |code| code.to_string());
        println!("{name:<32} {:>9} {:>8} {seconds:>7.1} {code:>5}  {good:<4}  {said}", bytes.len(), peak / 1024);
    }
}

/// Resident memory of a process and its descendants, in kB.
fn resident_kb(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let own =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let mut total = own.unwrap_or(0);
    for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        total += children.split_whitespace().filter_map(|id| id.parse().ok()).map(resident_kb).sum::<u64>();
    }
    total
}
