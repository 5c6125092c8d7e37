//! Tests reports in other formats: written, read back and verified.

use crate::harness::{QUESTION, TestDir};

fn reported() -> TestDir {
    let dir = TestDir::with_examples();
    dir.run(&["load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    dir.run(&["query", QUESTION, "-o", "report.md"]).ends_with(0);
    dir
}

fn text(dir: &TestDir, name: &str) -> String {
    std::fs::read_to_string(dir.path(name)).unwrap()
}

#[test]
fn a_page_keeps_the_report_and_leads_to_its_sources() {
    let dir = reported();
    dir.run(&["export", "report.md", "-o", "report.html"]).ends_with(0).stderr_is("");
    let page = text(&dir, "work/report.html");
    assert!(page.contains("href=\"./examples/simpsons/history/05-the-movie.md\""), "{page}");
    assert!(page.contains(", line ") && page.contains("BLAKE3 "));
    assert!(page.contains("<caption") && page.contains("<svg"));
    dir.run(&["verify", "report.html"]).ends_with(0);
    dir.run(&["export", "report.html", "-o", "again.md"]).ends_with(0);
    assert_eq!(text(&dir, "work/again.md"), text(&dir, "work/report.md"));
    // A page in another folder links to the same files.
    std::fs::create_dir(dir.path("work/out")).unwrap();
    dir.run(&["export", "report.md", "-o", "out/report.html"]).ends_with(0);
    assert!(text(&dir, "work/out/report.html").contains("href=\"./../examples/simpsons/"));
    let streamed = dir.run(&["export", "-", "--format", "html"]).stdin(text(&dir, "work/report.md")).ends_with(0);
    assert_eq!(streamed.stdout.trim_end(), page.trim_end());
}

#[test]
fn a_run_is_exported_without_a_model_or_documents() {
    let dir = reported();
    dir.run(&["export", "last", "-o", "run.md"]).ends_with(0);
    assert_eq!(text(&dir, "work/run.md"), text(&dir, "work/report.md"));
    dir.run(&["runs", "replay", "last", "-o", "replayed.html"]).ends_with(0);
    dir.run(&["export", "last", "-o", "run.html"]).ends_with(0);
    assert_eq!(text(&dir, "work/replayed.html"), text(&dir, "work/run.html"));
    std::fs::copy(dir.path("work/examples/simpsons/audience/02-ratings-1990-2024.pdf"), dir.path("work/report.pdf"))
        .unwrap();
    dir.run(&["verify", "report.pdf"]).ends_with(2).stderr_has("it is a PDF, which is for reading alone");
    dir.run(&["export", "report.md", "-o", "report.json"]).ends_with(2).stderr_has("not written as JSON");
    assert!(!dir.path("work/report.json").exists());
    std::fs::remove_dir_all(dir.data()).unwrap();
    dir.run(&["export", "report.md", "-o", "alone.html"]).ends_with(0);
    dir.run(&["verify", "alone.html", "--files", "examples/simpsons"]).ends_with(0);
}

#[test]
fn what_was_altered_is_named() {
    let dir = reported();
    dir.run(&["export", "report.md", "-o", "report.html"]).ends_with(0);
    let page = text(&dir, "work/report.html");
    let check = |from: &str, to: &str, expected: &str| {
        assert!(page.contains(from), "{from}");
        dir.write("work/edited.html", page.replacen(from, to, 1));
        let told = dir.run(&["verify", "edited.html"]).ends_with(5).stdout;
        let words: Vec<&str> = told.split_whitespace().collect();
        assert!(words.join(" ").contains(expected), "{told}");
    };
    check("nine will name", "ten will name", "ten will name");
    check("<main>", "<main >", "that nobody sees");
    dir.write("work/broken.html", page.replacen("{\"markdown\":", "{\"markdawn\":", 1));
    dir.run(&["verify", "broken.html"]).ends_with(5).stderr_has("report that the page keeps");
    dir.run(&["update", "report.html"]).ends_with(2).stderr_has("export report.html -o report.md");
}

#[test]
fn forms_are_chosen_by_the_name_and_refused_before_anything_is_paid() {
    let dir = reported();
    dir.run(&["query", QUESTION, "-o", "new.html"]).ends_with(0);
    assert!(text(&dir, "work/new.html").starts_with("<!DOCTYPE html>"));
    dir.run(&["query", QUESTION, "-o", "new.json"]).ends_with(0);
    assert!(text(&dir, "work/new.json").starts_with('{'));
    dir.run(&["ask", "and the film?", "-o", "answer.html"]).ends_with(0);
    dir.run(&["verify", "answer.html"]).ends_with(0);
    dir.run(&["export", "new.json", "-o", "from-json.md"]).ends_with(0);
    assert!(text(&dir, "work/from-json.md").starts_with("# "));
    #[cfg(not(feature = "pdf"))]
    dir.run(&["query", QUESTION, "-o", "x.pdf"]).ends_with(2).stderr_has("--features pdf");
    dir.run(&["query", QUESTION, "--json", "-o", "x.html"]).ends_with(2).stderr_has("leave out --json");
    assert!(!dir.path("work/x.pdf").exists() && !dir.path("work/x.html").exists());
    dir.run(&["export", "report.md"]).ends_with(2);
    dir.run(&["export", "report.md", "--format", "odt"]).ends_with(2).stderr_has("no form of a report");
    dir.run(&["export", "missing.md", "-o", "x.html"]).ends_with(2).stderr_has("cannot read the report missing.md");
    dir.run(&["export", "nothing", "-o", "x.html"]).ends_with(1).stderr_has("there is no run `nothing`");
    dir.write("work/other.md", "# Notes\n\nText.\n");
    dir.run(&["export", "other.md", "-o", "x.html"]).ends_with(2).stderr_has("no report of deepsearch");
}

/// Links and pipes are written through: they have no old content to keep, and must not be replaced by a file.
#[cfg(unix)]
#[test]
fn links_and_pipes_stay_what_they_are() {
    use std::os::unix::fs::FileTypeExt;
    let dir = reported();
    std::os::unix::fs::symlink("kept.md", dir.path("work/link.md")).unwrap();
    dir.write("work/kept.md", "old");
    dir.run(&["export", "report.md", "-o", "link.md"]).ends_with(0);
    assert!(dir.path("work/link.md").is_symlink());
    assert!(text(&dir, "work/kept.md").starts_with("# "));

    let pipe = dir.path("work/pipe.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let read = pipe.clone();
    let reader = std::thread::spawn(move || std::fs::read_to_string(read).unwrap());
    dir.run(&["export", "report.md", "-o", "pipe.md"]).ends_with(0);
    assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap(), text(&dir, "work/kept.md"));
}

#[test]
fn an_edited_document_is_checked_again() {
    let dir = reported();
    dir.run(&["export", "report.md", "-o", "report.docx"]).ends_with(0);
    dir.run(&["verify", "report.docx"]).ends_with(0);
    let mut archive = zip::ZipArchive::new(std::fs::File::open(dir.path("work/report.docx")).unwrap()).unwrap();
    let mut writer = zip::ZipWriter::new(std::fs::File::create(dir.path("work/edited.docx")).unwrap());
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut part, &mut text).unwrap();
        let name = part.name().unwrap().into_owned();
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        let text = text.replace("December 17, 1989", "December 17, 1988");
        std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let told = dir.run(&["verify", "edited.docx"]).ends_with(5).stdout;
    assert!(told.contains("1988"), "{told}");
    dir.run(&["export", "edited.docx", "-o", "edited.md"]).ends_with(0);
    assert!(text(&dir, "work/edited.md").contains("December 17, 1988"));
    dir.run(&["update", "edited.docx"]).ends_with(2).stderr_has("a document is not updated");
    dir.write("work/broken.docx", b"PK\x03\x04 broken");
    dir.run(&["verify", "broken.docx"]).ends_with(2).stderr_has("cannot be read");
}

#[test]
fn cited_documents_become_a_bibliography() {
    let dir = TestDir::new();
    let page = "<html><head><title>Notes on the engine</title><meta name=\"citation_author\" content=\"Lovelace, Ada\">\
                <meta name=\"citation_author\" content=\"Babbage, Charles\"><meta name=\"citation_doi\" content=\"10.1000/182\">\
                <meta name=\"citation_journal_title\" content=\"Annals\"><meta name=\"citation_date\" content=\"1843-09-01\"></head>\
                <body><p>The engine weaves algebraic patterns as the loom weaves flowers and leaves.</p></body></html>";
    dir.write("work/docs/engine.html", page);
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    let question = "What does the engine weave?";
    dir.run(&["query", question, "-o", "report.md", "--bibliography", "sources.bib"]).ends_with(0);
    let bib = text(&dir, "work/sources.bib");
    for part in ["@article{lovelace1843notes,", "author = {Lovelace, Ada and Babbage, Charles}", "doi = {10.1000/182}"]
    {
        assert!(bib.contains(part), "{part} in {bib}");
    }
    // A styled list stands beside the sources, and nothing in it counts as a statement of the report.
    dir.run(&["query", question, "--style", "apa", "-o", "styled.md"]).ends_with(0);
    let apa = "## References\n\n- Lovelace, A., \\& Babbage, C. (1843). Notes on the engine. *Annals*. \
               [https://doi.org/10.1000/182](<https://doi.org/10.1000/182>) [1]";
    assert!(text(&dir, "work/styled.md").contains(apa), "{}", text(&dir, "work/styled.md"));
    dir.run(&["verify", "styled.md"]).ends_with(0);
    dir.run(&["export", "styled.md", "--style", "ieee", "-o", "styled.html"]).ends_with(0);
    let ieee = "A. Lovelace and C. Babbage, “Notes on the engine,” <em>Annals</em>, Sep. 1843, doi: 10.1000/182. ";
    assert!(text(&dir, "work/styled.html").contains(ieee), "{}", text(&dir, "work/styled.html"));
    dir.run(&["verify", "styled.html"]).ends_with(0);
    dir.run(&["export", "styled.html", "--style", "mla", "-o", "styled.docx"]).ends_with(0);
    dir.run(&["verify", "styled.docx"]).ends_with(0);
    dir.write("work/mine.txt", "{{ references }}");
    let own = ["export", "report.md", "--style", "vancouver", "--template", "mine.txt"];
    dir.run(&own)
        .ends_with(0)
        .stdout_has("- Lovelace A, Babbage C. Notes on the engine. Annals. 1843. doi:10.1000/182 [1]");
    dir.run(&["export", "report.md", "--style", "apple", "-o", "x.md"]).ends_with(2).stderr_has("mla, vancouver");
    dir.run(&["query", question, "--style", "apa", "-o", "x.json"]).ends_with(2).stderr_has("JSON");
    dir.run(&["export", "report.md", "--bibliography", "sources.ris"]).ends_with(0).stdout_is("");
    assert!(text(&dir, "work/sources.ris").contains("T2  - Annals\r\n"));
    // A document is known by its words if its file was renamed.
    std::fs::rename(dir.path("work/docs/engine.html"), dir.path("work/docs/renamed.html")).unwrap();
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.run(&["export", "report.md", "--bibliography", "sources.bib"]).ends_with(0);
    assert!(text(&dir, "work/sources.bib").contains("author = {Lovelace, Ada and Babbage, Charles}"));
    std::fs::remove_file(dir.path("work/docs/renamed.html")).unwrap();
    dir.run(&["export", "last", "--bibliography", "sources.json"]).ends_with(0);
    let csl: serde_json::Value = serde_json::from_str(&text(&dir, "work/sources.json")).unwrap();
    assert_eq!((csl[0]["title"].as_str(), csl.as_array().unwrap().len()), (Some("Notes on the engine"), 1));
    assert_eq!(csl[0]["note"], "docs/engine.html");
    dir.run(&["query", question, "--bibliography", "x.txt"]).ends_with(2).stderr_has("ends in .bib, .json or .ris");
    dir.run(&["query", question, "-o", "x.json", "--bibliography", "x.json"]).ends_with(2).stderr_has("the same file");
    dir.run(&["query", question, "--bibliography", "no/x.bib"]).ends_with(2).stderr_has("there is no folder");
}

#[test]
fn a_library_beside_the_documents_knows_their_authors() {
    let dir = TestDir::new();
    dir.write("work/Library/files/12/scan.txt", "The engine weaves algebraic patterns as the loom weaves flowers.\n");
    dir.write(
        "work/Library/files/13/notes.txt",
        "# Notes on looms\n\nThe loom weaves flowers and the engine patterns.\n",
    );
    let library = "@article{a, title = {On the Analytical Engine}, author = {G{\\\"o}del, Ada and Babbage, Charles}, year = \
                   1843,\n journal = {Memoirs}, file = {PDF:files/12/scan.txt:text/plain}}\n@misc{b, title = {Notes on \
                   Looms},\n author = {Jacquard, J.}}\n@misc{c, title = {Other}, author = {Nobody, N.}, file = {x.pdf}}\n";
    dir.write("work/Library/My Library.bib", library);
    dir.run(&["load", "Library/files", "--embedder", "none"]).ends_with(0);
    let query = ["query", "What does the engine weave?", "-o", "report.md", "--bibliography", "Library/sources.bib"];
    dir.run(&query).ends_with(0);
    let bib = text(&dir, "work/Library/sources.bib");
    for part in ["title = {{On the Analytical Engine}}", "author = {Gödel, Ada and Babbage, Charles}", "year = {1843}"]
    {
        assert!(bib.contains(part), "{part} in {bib}");
    }
    assert!(bib.contains("journal = {Memoirs}") && !bib.contains("Nobody"), "{bib}");
    assert!(text(&dir, "work/report.md").contains("scan.txt`, Gödel \\& Babbage (1843): “"));
    // Searches use the year, the title and the authors too.
    let paths = |arguments: &[&str]| -> Vec<String> {
        let hits = dir.json(&[&["search"], arguments].concat());
        hits.as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(&["engine weaves", "--since", "1900-01-01"]), ["notes.txt"]);
    assert_eq!(paths(&["analytical", "--until", "1843-12-31"]), ["scan.txt"]);
    // The library itself is not loaded as a document, unless it is named.
    dir.run(&["load", "Library", "-c", "all", "--embedder", "none"]).ends_with(0).stdout_has("skipped");
    assert_eq!(paths(&["Babbage engine", "-c", "all"]), ["scan.txt", "notes.txt"]);
    dir.run(&["load", "Library/My Library.bib", "-c", "named", "--embedder", "none"]).ends_with(0).stdout_has("1 new");
    dir.run(&["collections", "drop", "all", "--yes"]).ends_with(0);
    dir.run(&["collections", "drop", "named", "--yes"]).ends_with(0);
    // A bibliography that the program wrote is not read as a library, and a broken library does not prevent writing
    // one.
    dir.write("work/Library/My Library.bib", "@article{a, title = {Never closed");
    dir.run(&["load", "Library/files", "--embedder", "none"]).ends_with(0);
    dir.run(&["export", "report.md", "--bibliography", "Library/sources.bib"]).ends_with(0);
    let bib = text(&dir, "work/Library/sources.bib");
    assert!(!bib.contains("Babbage") && bib.contains("files/12/scan.txt"), "{bib}");
}

/// A bibliography repeats what documents said at one time, so it is not read as a library.
#[test]
fn a_bibliography_is_no_library_in_any_form() {
    let dir = TestDir::new();
    let notes =
        |title: &str| format!("---\ntitle: {title}\n---\n\nThe engine weaves patterns as the loom weaves flowers.\n");
    dir.write("work/docs/notes.md", notes("On looms"));
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.run(&["query", "What does the engine weave?", "-o", "report.md"]).ends_with(0);
    for name in ["s.ris", "s.bib", "s.json"] {
        dir.run(&["export", "report.md", "--bibliography", name]).ends_with(0);
        assert!(text(&dir, &format!("work/{name}")).contains("On looms"), "{name}");
    }
    dir.write("work/docs/notes.md", notes("On engines"));
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    assert_eq!(dir.json(&["search", "loom"])[0]["title"], "On engines");
}

#[test]
fn a_hyphen_is_standard_output() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "The engine weaves patterns as the loom weaves flowers.\n");
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    let query = ["query", "What does the engine weave?", "-o"];
    dir.run(&[&query[..], &["report.md"]].concat()).ends_with(0).stdout_is("");
    let report = text(&dir, "work/report.md");
    dir.run(&[&query[..], &["-"]].concat()).ends_with(0).stdout_has("patterns");
    dir.run(&["export", "report.md", "-o", "-"]).ends_with(0).stdout_is(&report);
    dir.run(&["update", "report.md", "-o", "-"]).ends_with(0).stdout_is(&report);
    dir.run(&["memory", "export", "-"]).ends_with(0).stdout_has("deepsearch_memory");
    assert!(!dir.path("work/-").exists());
}

#[test]
fn a_template_writes_the_report() {
    let dir = reported();
    for name in ["letter.html", "houkokusho.html"] {
        let template = format!("examples/templates/{name}");
        dir.run(&["export", "report.md", "--template", &template, "-o", "out.html"]).ends_with(0).stderr_is("");
        let page = text(&dir, "work/out.html");
        let document = scraper::Html::parse_document(&page);
        let all = |selector: &str| {
            let selector = scraper::Selector::parse(selector).unwrap();
            document.select(&selector).map(|one| one.attr("href").unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert!(all("p a.cite").len() > 10 && all("li[id]").len() > 5, "{page}");
        for anchor in all("a.cite") {
            assert_eq!(all(&format!("li[id=\"{}\"]", &anchor[1..])).len(), 1, "{name} leads to {anchor}");
        }
        assert!(!page.contains("{{") && !page.contains("{%"), "{page}");
    }
    dir.write(
        "work/mine.md",
        "{{ title }} ({{ date }})\n\n{% for one in sections %}{{ one.body }}\n\n{% endfor %}{{ record }}\n",
    );
    let printed = dir.run(&["export", "report.md", "--template", "mine.md"]).ends_with(0).stdout;
    dir.write("work/printed.md", &printed);
    dir.run(&["verify", "printed.md"]).ends_with(0);
    dir.run(&["query", QUESTION, "--template", "mine.md", "-o", "new.md"]).ends_with(0);
    dir.run(&["ask", "and the film?", "--template", "mine.md"]).ends_with(0).stdout_has("<!-- deepsearch-record");
    dir.run(&["update", "report.md", "--template", "mine.md", "-o", "updated.md"]).ends_with(0);
    assert_eq!(text(&dir, "work/updated.md"), printed);
}

#[test]
fn a_wrong_template_is_named_before_anything_is_paid() {
    let dir = reported();
    dir.write("work/wrong.html", "<p>\n{{ titel }}\n");
    let check = |arguments: &[&str], expected: &str| {
        dir.run(arguments).ends_with(2).stdout_is("").stderr_has(expected);
    };
    let told = "wrong.html:2: there is no variable `titel`; did you mean `title`?";
    check(&["query", QUESTION, "--template", "wrong.html"], told);
    check(&["export", "report.md", "--template", "wrong.html"], told);
    check(&["export", "report.md", "--template", "none.html"], "cannot read the template none.html");
    dir.write("work/mine.html", "{{ title }}");
    check(&["export", "report.md", "--template", "mine.html", "-o", "mine.html"], "written over its template");
    check(&["query", QUESTION, "--template", "mine.html", "-o", "x.docx"], "a template writes text");
    check(&["query", QUESTION, "--template", "mine.html", "-o", "x.json"], "a template writes text");
    check(&["update", "report.md", "--template", "mine.html"], "--output");
}
