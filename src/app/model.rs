//! Chooses the model that answers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::AppError;
use crate::agent::Limits;
use crate::config::{Config, LlmConfig, Surroundings};
use crate::domain::Price;
use crate::llm::mock::MockModel;
use crate::llm::openai::{OpenAiError, OpenAiModel, OpenAiOptions, PurposeOptions};
use crate::llm::presets::{PRESETS, Preset};
use crate::llm::{ChatModel, Purpose};
use crate::net::{LimitOptions, NetError, Secret};
use crate::offline::{ExtractiveModel, ExtractiveOptions};

/// The model that the settings name, and how it was chosen.
#[derive(Clone)]
pub struct ChosenModel {
    /// The model, ready to be asked.
    pub model: Arc<dyn ChatModel>,
    /// The provider's name, with `auto` resolved.
    pub provider: String,
    /// The address where it answers; empty if it needs no network.
    pub endpoint: String,
    /// Where its key came from: the name of a variable or a file, never the key. Empty if it needs none.
    pub key_source: String,
    /// Whether it is the offline backend only because `auto` found no key.
    pub no_key_found: bool,
    client: Option<Arc<OpenAiModel>>,
}

impl ChosenModel {
    /// A model of the caller's own, which costs nothing.
    pub fn own(model: Arc<dyn ChatModel>, name: &str) -> Self {
        offline(model, name, false)
    }

    /// The names of the models that the endpoint offers, sorted; `None` if there is no endpoint.
    pub async fn offered_models(&self) -> Option<Result<Vec<String>, NetError>> {
        match &self.client {
            Some(client) => Some(client.offered_models().await),
            None => None,
        }
    }
}

/// Builds the model. No request is made.
pub(super) fn choose(config: &Config, around: &Surroundings) -> Result<ChosenModel, AppError> {
    match resolve(&config.llm, PRESETS, |name| around.variable(name).is_some())? {
        Provider::Extractive { no_key_found } => {
            // Offline, a key would change nothing.
            let is_missed = no_key_found && !config.net.offline;
            Ok(offline(Arc::new(ExtractiveModel::new(ExtractiveOptions::default())), "extractive", is_missed))
        }
        Provider::Mock => {
            let script = Config::set_path(&config.llm.mock.script)
                .ok_or(AppError::MissingSetting { provider: "mock".to_owned(), key: "llm.mock.script" })?;
            Ok(offline(Arc::new(MockModel::from_file(script)?), "mock", false))
        }
        // Offline, a service that `auto` chose by a key it found gives way to quoting; one that was named is an error.
        Provider::Service(_) if config.net.offline && config.llm.provider == "auto" => {
            Ok(offline(Arc::new(ExtractiveModel::new(ExtractiveOptions::default())), "extractive", false))
        }
        Provider::Service(name) if config.net.offline => {
            Err(AppError::Offline { what: format!("the model of {name}") })
        }
        Provider::Service(name) => service(config, around, &name),
    }
}

/// A model that needs no endpoint.
fn offline(model: Arc<dyn ChatModel>, provider: &str, no_key_found: bool) -> ChosenModel {
    ChosenModel {
        model,
        provider: provider.to_owned(),
        endpoint: String::new(),
        key_source: String::new(),
        no_key_found,
        client: None,
    }
}

fn service(config: &Config, around: &Surroundings, name: &str) -> Result<ChosenModel, AppError> {
    let llm = &config.llm;
    // The settings accept only the names in the table.
    let preset = Preset::find(name)
        .ok_or_else(|| AppError::MissingSetting { provider: name.to_owned(), key: "llm.provider" })?;
    let base_url = Config::set_text(&llm.base_url);
    let own = is_own_address(base_url, preset.base_url, preset.other_hosts);
    let usual = preset.key_variable.filter(|_| own);
    let (key, key_source) = match key(&llm.api_key_env, &llm.api_key_file, usual, around)? {
        Some((key, source)) => (Some(key), source),
        None if preset.is_keyless() && llm.api_key_env.is_empty() => (None, String::new()),
        None if !own && llm.api_key_env.is_empty() => {
            // A preset without an address of its own asks for one first.
            let address = base_url.ok_or(OpenAiError::NoBaseUrl { provider: preset.name })?;
            return Err(AppError::KeyElsewhere {
                provider: name.to_owned(),
                variable: preset.key_variable.unwrap_or_default(),
                address: crate::net::shown_url(address),
            });
        }
        None => {
            let looked_at = Config::set_text(&llm.api_key_env).or(preset.key_variable).unwrap_or_default().to_owned();
            return Err(AppError::NoKey { provider: name.to_owned(), looked_at });
        }
    };
    let defaults = OpenAiOptions::new(preset);
    let options = OpenAiOptions {
        base_url: Config::set_text(&llm.base_url).map(str::to_owned),
        key,
        key_source: key_source.clone(),
        model: Config::set_text(&llm.model).map_or(defaults.model, str::to_owned),
        max_tokens: Some(llm.max_output_tokens),
        temperature: Some(llm.temperature),
        purposes: purposes(llm),
        prices: config.prices.clone(),
        api_version: llm.azure_api_version.clone(),
        http: super::options::http_options(config),
        retry: super::options::retry(llm),
        call_timeout: super::options::limit(llm.call_timeout_s).map(Duration::from_secs),
        limits: LimitOptions {
            concurrency: Some(llm.concurrency),
            per_minute: super::options::limit(llm.requests_per_minute),
        },
        ..OpenAiOptions::new(preset)
    };
    let client = Arc::new(OpenAiModel::new(options)?);
    Ok(ChosenModel {
        endpoint: client.endpoint(),
        model: Arc::clone(&client) as Arc<dyn ChatModel>,
        provider: name.to_owned(),
        key_source,
        no_key_found: false,
        client: Some(client),
    })
}

/// The key and its source: the named variable or the usual one, then the file.
pub(super) fn key(
    variable: &str,
    file: &Path,
    usual: Option<&str>,
    around: &Surroundings,
) -> Result<Option<(Secret, String)>, AppError> {
    let variable = Config::set_text(variable).or(usual);
    if let Some(name) = variable.filter(|name| around.variable(name).is_some()) {
        return Ok(Some((Secret::from_env(name)?, name.to_owned())));
    }
    match Config::set_path(file) {
        Some(path) => Ok(Some((Secret::from_file(path)?, path.display().to_string()))),
        None => Ok(None),
    }
}

/// Whether `configured`, the address in the settings, is a service's own: unset, of the same origin as `own`, or by
/// https at one of the hosts `others`, where one that begins with a dot stands for all hosts below it.
pub(super) fn is_own_address(configured: Option<&str>, own: Option<&str>, others: &[&str]) -> bool {
    let Some(configured) = configured else { return own.is_some() };
    // A path is added, as in a request, so that the host found here is the one that a request goes to.
    let parsed = |address: &str| Url::parse(&format!("{}/x", address.trim_end_matches('/'))).ok();
    let Some(url) = parsed(configured) else { return false };
    let Some(host) = url.host_str() else { return false };
    let at_own = own.and_then(parsed).is_some_and(|own| own.origin() == url.origin());
    let at_other = others.iter().any(|other| match other.strip_prefix('.') {
        Some(domain) => host.strip_suffix(domain).is_some_and(|before| before.len() > 1 && before.ends_with('.')),
        None => host == *other,
    });
    at_own || (at_other && url.scheme() == "https" && url.port().is_none())
}

/// The price of the model for each purpose, if the settings have one. A model without an endpoint costs nothing.
pub(super) fn prices(config: &Config, chosen: &ChosenModel) -> HashMap<Purpose, Price> {
    let free = Price { input: 0.0, cached_input: None, output: 0.0 };
    let price = |purpose| {
        let named = config.prices.get(chosen.model.name(purpose)).copied();
        named.or_else(|| chosen.endpoint.is_empty().then_some(free))
    };
    Purpose::ALL.into_iter().filter_map(|purpose| Some((purpose, price(purpose)?))).collect()
}

/// Checks before the run that a limit on money has all the prices it needs; the error names a model without one.
pub(super) fn check_prices(
    limits: Limits,
    prices: &HashMap<Purpose, Price>,
    chosen: &ChosenModel,
) -> Result<(), AppError> {
    let used = Purpose::ALL
        .into_iter()
        .filter(|purpose| !matches!(purpose, Purpose::Describe | Purpose::Quiz | Purpose::Revise));
    match used.filter(|_| limits.max_usd.is_some()).find(|purpose| !prices.contains_key(purpose)) {
        Some(purpose) => Err(AppError::NoPrice { model: chosen.model.name(purpose).to_owned() }),
        None => Ok(()),
    }
}

fn purposes(llm: &LlmConfig) -> HashMap<Purpose, PurposeOptions> {
    let own = |purpose| match purpose {
        // Both plan the work of other calls.
        Purpose::Plan | Purpose::Outline => &llm.plan,
        Purpose::Reflect => &llm.reflect,
        Purpose::Act => &llm.act,
        Purpose::Follow => &llm.follow,
        Purpose::Choose => &llm.choose,
        Purpose::Write => &llm.write,
        Purpose::Describe => &llm.describe,
        Purpose::Quiz => &llm.quiz,
        // The model that writes reports also updates them.
        Purpose::Revise => &llm.write,
    };
    Purpose::ALL
        .into_iter()
        .map(|purpose| {
            let own = own(purpose);
            let options = PurposeOptions {
                model: Config::set_text(&own.model).map(str::to_owned),
                max_tokens: super::options::limit(own.max_output_tokens),
            };
            (purpose, options)
        })
        .collect()
}

/// A provider, with `auto` resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Provider {
    /// The service of this name.
    Service(String),
    /// Scripted replies.
    Mock,
    /// The offline backend.
    Extractive {
        /// Whether `auto` found no key.
        no_key_found: bool,
    },
}

/// The provider that the settings mean. `auto` never sends a service's key to an address that is not the service's own,
/// and passes over services without an own address, since that differs for every user.
fn resolve(llm: &LlmConfig, presets: &[Preset], is_set: impl Fn(&str) -> bool) -> Result<Provider, AppError> {
    match llm.provider.as_str() {
        "mock" => Ok(Provider::Mock),
        "extractive" => Ok(Provider::Extractive { no_key_found: false }),
        "auto" if !llm.base_url.is_empty() => Ok(Provider::Service("custom".to_owned())),
        "auto" if !llm.api_key_env.is_empty() || Config::set_path(&llm.api_key_file).is_some() => {
            Err(AppError::KeyWithoutProvider)
        }
        "auto" => {
            let with_key = |preset: &&Preset| preset.base_url.is_some() && preset.key_variable.is_some_and(&is_set);
            Ok(match presets.iter().find(with_key) {
                Some(preset) => Provider::Service(preset.name.to_owned()),
                None => Provider::Extractive { no_key_found: true },
            })
        }
        named => Ok(Provider::Service(named.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PROVIDERS, Settings, SettingsRequest};

    fn check(change: impl Fn(&mut LlmConfig), keys: &[&str], expected: Option<Provider>) {
        let mut llm = Settings::load(&SettingsRequest::default()).unwrap().config.llm;
        change(&mut llm);
        let at = Some("https://one.example/v1");
        let services = [
            Preset { name: "azure", key_variable: Some("AZURE_KEY"), base_url: None, ..PRESETS[0] },
            Preset { name: "one", key_variable: Some("ONE_KEY"), base_url: at, ..PRESETS[0] },
            Preset { name: "two", key_variable: Some("TWO_KEY"), base_url: at, ..PRESETS[0] },
            Preset { name: "local", key_variable: None, base_url: at, ..PRESETS[0] },
        ];
        assert_eq!(resolve(&llm, &services, |name| keys.contains(&name)).ok(), expected);
    }

    fn service(name: &str) -> Option<Provider> {
        Some(Provider::Service(name.to_owned()))
    }

    #[test]
    fn auto_takes_the_first_service_with_a_key() {
        check(|_| {}, &[], Some(Provider::Extractive { no_key_found: true }));
        check(|_| {}, &["TWO_KEY", "ONE_KEY"], service("one"));
        check(|_| {}, &["AZURE_KEY", "TWO_KEY"], service("two"));
    }

    #[test]
    fn the_settings_accept_the_tables_names_and_those_of_no_service() {
        let rows: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let accepted: Vec<&str> = PROVIDERS.to_vec();
        let others = ["auto", "extractive", "mock"];
        let services: Vec<&str> = accepted.into_iter().filter(|name| !others.contains(name)).collect();
        let sorted = |mut names: Vec<&'static str>| {
            names.sort_unstable();
            names
        };
        assert_eq!(sorted(services), sorted(rows));
        assert!(others.iter().all(|name| PROVIDERS.contains(name)));
    }

    #[test]
    fn a_named_key_that_is_missing_is_an_error_also_where_none_is_needed() {
        let check = |variable: &str, expected: Option<&str>| {
            let mut config = Settings::load(&SettingsRequest::default()).unwrap().config;
            (config.llm.base_url, config.llm.model) = ("http://localhost:1/v1".to_owned(), "m".to_owned());
            config.llm.api_key_env = variable.to_owned();
            let missing = match super::service(&config, &Surroundings::default(), "custom") {
                Err(AppError::NoKey { looked_at, .. }) => Some(looked_at),
                Err(error) => panic!("{error}"),
                Ok(_) => None,
            };
            assert_eq!(missing.as_deref(), expected);
        };
        check("", None);
        check("DEEPSEARCH_TEST_NO_SUCH_KEY", Some("DEEPSEARCH_TEST_NO_SUCH_KEY"));
    }

    #[test]
    fn auto_sends_no_services_key_to_another_address() {
        check(|llm| llm.base_url = "http://localhost:1".to_owned(), &["ONE_KEY"], service("custom"));
        check(|llm| llm.api_key_env = "MINE".to_owned(), &["MINE", "ONE_KEY"], None);
        check(|llm| llm.api_key_file = "key.txt".into(), &[], None);
    }

    #[test]
    fn a_usual_key_goes_to_the_services_own_address() {
        let check = |configured: &str, expected: bool| {
            let others = ["eu.one.example", ".many.example"];
            let found = is_own_address(Config::set_text(configured), Some("https://one.example/v1"), &others);
            assert_eq!(found, expected, "{configured}");
        };
        check("", true);
        check("https://one.example/v2/", true);
        check("https://ONE.example:443", true);
        check("https://eu.one.example/v1", true);
        check("https://mine.many.example", true);
        // Both the request and the check read this as a path.
        check("https://one.example\\@two.example", true);
        for other in [
            "http://one.example/v1",
            "https://one.example:8443/v1",
            "https://two.example/v1",
            "https://x.one.example/v1",
            "https://one.example.two.example/v1",
            "https://one.example@two.example/v1",
            "https://one.example:443@two.example",
            "https://xone.example",
            "https://many.example",
            "https://xmany.example",
            "https://.many.example",
            "https://eu.one.example:1",
            "http://mine.many.example",
            "one.example/v1",
            "https://",
            "//one.example",
            "https://one.example.",
            "http://127.0.0.1:9/one.example",
        ] {
            check(other, false);
        }
        assert!(!is_own_address(None, None, &[]), "one that every user has elsewhere has no own address");
    }

    #[test]
    fn a_named_provider_is_taken_with_or_without_a_key() {
        check(|llm| llm.provider = "two".to_owned(), &["ONE_KEY"], service("two"));
        check(|llm| llm.provider = "mock".to_owned(), &["ONE_KEY"], Some(Provider::Mock));
        let quoting = Some(Provider::Extractive { no_key_found: false });
        check(|llm| llm.provider = "extractive".to_owned(), &["ONE_KEY"], quoting);
    }
}
