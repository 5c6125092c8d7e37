//! Tests that keys go only where they belong: a service's usual key to that service, and no key to a started program.

use deepsearch::llm::presets::PRESETS;
use deepsearch::sources::search_engine::Provider;

use crate::harness::{Run, TestDir};
use crate::listener::Listener;

const QUERY: [&str; 2] = ["query", "Who keeps the lamp?"];

fn documents() -> TestDir {
    let dir = TestDir::new();
    dir.write("work/docs/lamp.md", "# The lamp\n\nThe keeper Anders keeps the lamp of Varnholm.\n");
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir
}

/// A run with the user's own settings, every service's usual key, and further arguments.
fn run(dir: &TestDir, settings: &str, arguments: &[&str]) -> Run {
    dir.write("home/.config/deepsearch/config.toml", settings);
    let variables = PRESETS.iter().filter_map(|preset| preset.key_variable);
    let engines = Provider::ALL.into_iter().filter_map(Provider::key_variable);
    let named = dir.run(arguments).env("MINE", "sk-named-by-me");
    variables.chain(engines).fold(named, |run, name| run.env(name, &format!("sk-usual-{name}")))
}

#[test]
fn no_presets_usual_key_goes_to_another_host() {
    let dir = documents();
    for preset in PRESETS {
        let listener = Listener::start();
        let settings = |more: &str| {
            let (name, at) = (preset.name, &listener.address);
            format!("[llm]\nprovider = \"{name}\"\nmodel = \"m\"\nbase_url = \"http://{at}/v1\"\nretries = 0\n{more}")
        };
        match preset.key_variable {
            Some(variable) => {
                let told = format!(
                    "{variable}, the usual key of {}, is not sent to http://{}/v1",
                    preset.name, listener.address
                );
                run(&dir, &settings(""), &QUERY).ends_with(2).stderr_has(&told).stderr_has("llm.api_key_env");
                run(&dir, &settings(""), &["doctor"]).ends_with(1).stdout_has(&told);
                assert_eq!(listener.take_seen(), Vec::<String>::new(), "{}", preset.name);
                // A key that the settings name is sent, as that is intended.
                let named = settings(&format!("api_key_env = \"{variable}\""));
                run(&dir, &named, &QUERY).into_command().output().unwrap();
                let seen = listener.take_seen().concat();
                assert!(seen.contains(&format!("sk-usual-{variable}")), "{}: {seen}", preset.name);
            }
            None => {
                run(&dir, &settings(""), &QUERY).into_command().output().unwrap();
                let seen = listener.take_seen().concat();
                assert!(!seen.is_empty() && !seen.contains("sk-"), "{}: {seen}", preset.name);
            }
        }
        let named = settings("api_key_env = \"MINE\"");
        run(&dir, &named, &QUERY).into_command().output().unwrap();
        let seen = listener.take_seen().concat();
        assert!(seen.contains("sk-named-by-me") && !seen.contains("sk-usual"), "{}: {seen}", preset.name);
    }
}

#[test]
fn no_engines_or_embedders_usual_key_goes_to_another_host() {
    let dir = documents();
    let listener = Listener::start();
    let at = &listener.address;
    let without_key = |settings: &str, arguments: &[&str]| {
        run(&dir, settings, arguments).into_command().output().unwrap();
        let seen = listener.take_seen().concat();
        assert!(!seen.is_empty() && !seen.contains("sk-"), "{settings}: {seen}");
    };
    for engine in Provider::ALL {
        let name = engine.name();
        let settings = format!(
            "[llm]\nprovider = \"extractive\"\n[sources.web]\nenabled = true\nprovider = \"{name}\"\nbase_url = \"http://{at}\""
        );
        without_key(&settings, &[&QUERY[..], &["-c", "web"]].concat());
    }
    let settings = format!("[embed]\nembedder = \"openai:m\"\nbase_url = \"http://{at}/v1\"\n[llm]\nretries = 0\n");
    without_key(&settings, &["load", "docs", "-c", "other"]);
}

/// At the services' own addresses the usual keys are used; a proxy sees the host, but not the key.
#[test]
fn a_usual_key_is_taken_at_the_services_own_address() {
    let dir = documents();
    let listener = Listener::start();
    let proxy = format!("http://{}", listener.address);
    let asks = |settings: &str, host: &str| {
        let command = run(&dir, settings, &QUERY).env("HTTPS_PROXY", &proxy);
        command.into_command().output().unwrap();
        let seen = listener.take_seen().concat();
        assert!(seen.contains(&format!("CONNECT {host}:443")) && !seen.contains("sk-"), "{settings}: {seen}");
    };
    let llm = |more: &str| format!("[llm]\nretries = 0\nmodel = \"m\"\n{more}");
    asks(&llm("provider = \"openai\""), "api.openai.com");
    asks(&llm("provider = \"openai\"\nbase_url = \"https://api.openai.com/v1/\""), "api.openai.com");
    asks(&llm("provider = \"openai\"\nbase_url = \"https://eu.api.openai.com/v1\""), "eu.api.openai.com");
    asks(&llm("provider = \"azure\"\nbase_url = \"https://mine.openai.azure.com\""), "mine.openai.azure.com");
}

#[test]
fn no_redirect_takes_a_key_along() {
    let dir = documents();
    let elsewhere = Listener::start();
    let head = format!("HTTP/1.1 307 X\r\nlocation: http://{}/v1/chat/completions", elsewhere.address);
    let listener = Listener::answering(&head, "");
    let at = &listener.address;
    let check = |settings: &str, arguments: &[&str]| {
        run(&dir, settings, arguments).into_command().output().unwrap();
        let seen = listener.take_seen().concat();
        assert!(seen.contains("sk-named-by-me"), "{settings}: {seen}");
        assert_eq!(elsewhere.take_seen(), Vec::<String>::new(), "{settings}");
    };
    let key = "api_key_env = \"MINE\"";
    check(&format!("[llm]\nprovider = \"custom\"\nmodel = \"m\"\nbase_url = \"http://{at}/v1\"\n{key}"), &QUERY);
    let embed = format!("[embed]\nembedder = \"openai:m\"\nbase_url = \"http://{at}/v1\"\n{key}");
    check(&embed, &["load", "docs", "-c", "other"]);
    for engine in ["brave", "tavily", "serper"] {
        let web = format!(
            "[llm]\nprovider = \"extractive\"\n[sources.web]\nenabled = true\nprovider = \"{engine}\"\nbase_url = \"http://{at}\"\n{key}"
        );
        check(&web, &[&QUERY[..], &["-c", "web"]].concat());
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_is_started_gets_no_keys() {
    let dir = documents();
    dir.write("work/docs/scan.pdf", include_bytes!("../pdf/scan.pdf"));
    let settings = "[load]\nocr = [\"sh\", \"-c\", \"env; echo says quinces\"]\n[llm]\nprovider = \"custom\"\napi_key_env = \"MINE\"\n\
                    [embed]\napi_key_env = \"OF_EMBED\"\n[sources.web]\napi_key_env = \"OF_WEB\"\n[store]\napi_key_env = \"OF_STORE\"\n";
    let mut load =
        run(&dir, settings, &["load", "docs", "--embedder", "none"]).env("PATH", "/usr/bin:/bin").env("LANG", "C");
    let secret = ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "OF_EMBED", "OF_WEB", "OF_STORE"];
    for name in secret {
        load = load.env(name, &format!("sk-{name}"));
    }
    load.env("DATABASE_URL", "postgres://me:sk-password@host/db").ends_with(0);
    let hits = dir.json(&["search", "quinces", "--mode", "keyword"]);
    let text = hits[0]["text"].as_str().unwrap();
    assert!(text.contains("LANG=C") && text.contains("PATH=/usr/bin:/bin") && text.contains("HOME="), "{text}");
    assert!(!text.contains("sk-"), "{text}");
}
