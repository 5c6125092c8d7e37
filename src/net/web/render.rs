use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use url::Url;

use super::WebError;
use crate::base::{CommandLimits, run_command};
use crate::net::shown_url;

/// The number of browsers that run at once: each takes as much memory as everything else together.
const AT_ONCE: usize = 2;

/// A program chosen by the user that runs a page's scripts and writes out the resulting page. Cheap to clone.
///
/// It is given the URL of a page that this program has fetched, so the address was checked. But it resolves the name
/// and fetches the page again by itself, with everything that the page refers to, and no guard of ours covers that.
#[derive(Clone, Debug)]
pub(super) struct Renderer {
    command: Arc<[String]>,
    secret: Arc<[String]>,
    timeout: Duration,
    places: Arc<Semaphore>,
}

impl Renderer {
    /// Creates a renderer for `command`, a program and its arguments, in which `{url}` stands for the page's address;
    /// `None` if it is empty. The environment variables in `secret` are withheld from the program.
    pub(super) fn new(command: &[String], secret: &[String], timeout: Duration) -> Option<Self> {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        (!command.is_empty()).then(|| Renderer { command: command.into(), secret: secret.into(), timeout, places })
    }

    /// Returns the page, of at most `max_output_bytes`, as it is once its scripts have run. The address has been
    /// checked.
    pub(super) async fn render(&self, url: &Url, max_output_bytes: usize) -> Result<Vec<u8>, WebError> {
        // The semaphore is never closed.
        let _place = self.places.acquire().await.ok();
        let limits = CommandLimits { timeout: self.timeout, max_output_bytes };
        let (command, secret, address) = (Arc::clone(&self.command), Arc::clone(&self.secret), url.to_string());
        let rendered = tokio::task::spawn_blocking(move || {
            run_command(&command, &[("url", OsStr::new(&address))], &secret, limits)
        });
        let shown = || shown_url(url.as_str());
        match rendered.await {
            Ok(rendered) => rendered.map_err(|source| WebError::Render { url: shown(), source }),
            Err(stopped) => Err(WebError::RenderStopped { url: shown(), reason: stopped.to_string() }),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::base::Clock;
    use crate::net::web::{AllowedAddresses, Conditions, Fetched, WebClient, WebOptions};

    fn page(url: &str) -> Fetched {
        Fetched {
            url: Url::parse(url).expect("a URL"),
            status: 200,
            content_type: "text/html".to_owned(),
            validators: Conditions::default(),
            robots: vec![],
            body: vec![],
            at: Clock::default().now(),
        }
    }

    async fn check(script: &str, url: &str, offline: bool, expected: Result<&str, &str>) {
        let command = ["sh", "-c", script, "sh", "{url}"].map(str::to_owned);
        let allowed = AllowedAddresses::parse(&["10.0.0.1"]).expect("an address");
        let render = command.to_vec();
        let options = WebOptions { allowed, offline, render, max_body_bytes: 100, ..WebOptions::default() };
        let client = WebClient::new(options, Clock::default()).expect("a client");
        match (client.rendered(&page(url)).await, expected) {
            (Ok(Some(page)), Ok(expected)) => assert_eq!(String::from_utf8_lossy(&page.body), expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{url}: {found:?}"),
        }
    }

    #[tokio::test]
    async fn a_page_is_rendered_only_where_it_may_be_fetched() {
        check("printf '<p>%s' \"$1\"", "https://a.example/x?y=$(z)", false, Ok("<p>https://a.example/x?y=$(z)")).await;
        check("echo x", "http://10.0.0.1/", false, Ok("x\n")).await;
        check("echo x", "http://10.0.0.2/", false, Err("private address")).await;
        check("echo x", "file:///etc/passwd", false, Err("only http and https")).await;
        check("echo x", "https://a.example/", true, Err("offline")).await;
        check("echo no browser >&2; exit 1", "https://a.example/", false, Err("failed (exit status: 1): no browser"))
            .await;
        check("yes", "https://a.example/", false, Err("wrote more than 100 bytes")).await;
        let client = WebClient::new(WebOptions::default(), Clock::default()).expect("a client");
        assert!(matches!(client.rendered(&page("https://a.example")).await, Ok(None)));
    }
}
