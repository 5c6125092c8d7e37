use std::future::Future;
use std::path::PathBuf;
use std::sync::OnceLock;

use etcetera::BaseStrategy;

use super::args::GlobalArgs;
use super::terminal::Terminal;
use super::{CliError, ExitStatus};
use crate::app::{App, keep_private};
use crate::config::{Flag, Settings, SettingsRequest, Surroundings};

/// The context of a command. Settings are read and the runtime is started only by commands that need them.
pub(super) struct Context {
    /// The flags that every command takes.
    pub global: GlobalArgs,
    /// The output streams.
    pub terminal: Terminal,
    /// Set once a command has asked for the app.
    data_dir: OnceLock<PathBuf>,
}

impl Context {
    /// Creates a context; reads nothing yet.
    pub fn new(global: GlobalArgs, terminal: Terminal) -> Self {
        Context { global, terminal, data_dir: OnceLock::new() }
    }

    /// The real environment of the process.
    pub fn surroundings(&self) -> Result<Surroundings, CliError> {
        let cwd = std::env::current_dir()
            .map_err(|error| CliError::new(ExitStatus::Failed, format!("there is no working folder: {error}")))?;
        // Without a home folder the program still works if every path is named.
        let folders = etcetera::choose_base_strategy().ok();
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
            .collect();
        Ok(Surroundings {
            variables,
            cwd,
            home: folders.as_ref().map(|folders| folders.home_dir().to_owned()),
            config_dir: folders.as_ref().map(BaseStrategy::config_dir),
            data_dir: folders.as_ref().map(BaseStrategy::data_dir),
        })
    }

    /// The sources of settings; `flags` are the command's own.
    pub fn settings_request(&self, flags: Vec<Flag>) -> Result<SettingsRequest, CliError> {
        let mut all = self.global.flags();
        all.extend(flags);
        Ok(SettingsRequest { around: self.surroundings()?, file: self.global.config.clone(), flags: all })
    }

    /// The settings in force; `flags` are the command's own.
    pub fn settings(&self, flags: Vec<Flag>) -> Result<Settings, CliError> {
        let settings = Settings::load(&self.settings_request(flags)?)?;
        settings.notices.iter().for_each(|notice| self.terminal.warn(notice));
        Ok(settings)
    }

    /// The app with the settings in force; `flags` are the command's own.
    pub fn app(&self, flags: Vec<Flag>) -> Result<App, CliError> {
        let app = App::new(self.settings(flags)?.config, self.surroundings()?);
        // If there is no data folder, a command that needs it says so.
        if let Ok(folder) = app.data_dir() {
            keep_private(self.data_dir.get_or_init(|| folder));
        }
        Ok(app)
    }

    /// Runs a job to completion.
    pub fn block_on<T>(&self, job: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot start the runtime: {error}")))?;
        let done = runtime.block_on(job);
        // The job has finished or was given up. A thread still busy with a part of it must not delay the end.
        runtime.shutdown_background();
        done
    }
}

/// Keeps what the command has written private to its owner too.
impl Drop for Context {
    fn drop(&mut self) {
        if let Some(folder) = self.data_dir.get() {
            keep_private(folder);
        }
    }
}
