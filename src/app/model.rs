//! Which model answers.

use std::sync::Arc;

use super::AppError;
use crate::config::{Config, LlmConfig, Surroundings};
use crate::llm::ChatModel;

/// The model that the settings name, and how it was chosen.
#[derive(Clone)]
pub struct ChosenModel {
    /// Ready to be asked.
    pub model: Arc<dyn ChatModel>,
    /// The provider's name, `auto` resolved.
    pub provider: String,
    /// Where it answers; empty for one that needs no network.
    pub endpoint: String,
    /// Where its key came from: a variable's or a file's name, never the key. Empty where it needs none.
    pub key_source: String,
    /// Whether it is the offline backend only because `auto` found no key.
    pub no_key_found: bool,
}

/// Builds the model. No request is made.
pub(super) fn choose(config: &Config, around: &Surroundings) -> Result<ChosenModel, AppError> {
    let services: &[Service] = &[];
    match resolve(&config.llm, services, |name| around.variable(name).is_some())? {
        Provider::Service(_) => Err(AppError::NotWired { what: "the model client" }),
        Provider::Mock => Err(AppError::NotWired { what: "the mock model" }),
        Provider::Extractive { .. } => Err(AppError::NotWired { what: "the offline backend" }),
    }
}

/// What the choice of a provider needs to know of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Service {
    /// As in the settings.
    pub name: &'static str,
    /// The variable that usually holds its key; `None` where it needs none.
    pub key_variable: Option<&'static str>,
    /// Whether it has an address of its own: one that every user has elsewhere cannot be chosen by its key alone.
    pub has_address: bool,
}

/// A provider, `auto` resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Provider {
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

/// Which provider the settings mean. `auto` never sends a service's key to an address that is not the service's own.
pub(super) fn resolve(
    llm: &LlmConfig,
    services: &[Service],
    is_set: impl Fn(&str) -> bool,
) -> Result<Provider, AppError> {
    match llm.provider.as_str() {
        "mock" => Ok(Provider::Mock),
        "extractive" => Ok(Provider::Extractive { no_key_found: false }),
        "auto" if !llm.base_url.is_empty() => Ok(Provider::Service("custom".to_owned())),
        "auto" if !llm.api_key_env.is_empty() || Config::set_path(&llm.api_key_file).is_some() => {
            Err(AppError::KeyWithoutProvider)
        }
        "auto" => {
            let with_key = |service: &&Service| service.has_address && service.key_variable.is_some_and(&is_set);
            Ok(match services.iter().find(with_key) {
                Some(service) => Provider::Service(service.name.to_owned()),
                None => Provider::Extractive { no_key_found: true },
            })
        }
        named => Ok(Provider::Service(named.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Settings, SettingsRequest};

    const SERVICES: [Service; 4] = [
        Service { name: "azure", key_variable: Some("AZURE_KEY"), has_address: false },
        Service { name: "one", key_variable: Some("ONE_KEY"), has_address: true },
        Service { name: "two", key_variable: Some("TWO_KEY"), has_address: true },
        Service { name: "local", key_variable: None, has_address: true },
    ];

    fn check(change: impl Fn(&mut LlmConfig), keys: &[&str], expected: Option<Provider>) {
        let mut llm = Settings::load(&SettingsRequest::default()).unwrap().config.llm;
        change(&mut llm);
        assert_eq!(resolve(&llm, &SERVICES, |name| keys.contains(&name)).ok(), expected);
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
    fn auto_sends_no_services_key_to_another_address() {
        check(|llm| llm.base_url = "http://localhost:1".to_owned(), &["ONE_KEY"], service("custom"));
        check(|llm| llm.api_key_env = "MINE".to_owned(), &["MINE", "ONE_KEY"], None);
        check(|llm| llm.api_key_file = "key.txt".into(), &[], None);
    }

    #[test]
    fn a_named_provider_is_taken_with_or_without_a_key() {
        check(|llm| llm.provider = "two".to_owned(), &["ONE_KEY"], service("two"));
        check(|llm| llm.provider = "mock".to_owned(), &["ONE_KEY"], Some(Provider::Mock));
        let quoting = Some(Provider::Extractive { no_key_found: false });
        check(|llm| llm.provider = "extractive".to_owned(), &["ONE_KEY"], quoting);
    }
}
