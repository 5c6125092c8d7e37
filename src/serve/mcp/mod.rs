//! The Model Context Protocol: tools, resources and prompts over standard input and output, or behind HTTP.

mod prompts;
mod resources;
mod tasks;
mod tools;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::run::{Phase, ServedRun};
use super::{Access, Budget, Desk, Library, Refusal};

/// The maximum length of a message over standard input, in bytes.
const MAX_LINE_BYTES: usize = 4 << 20;
/// The time limit of a call: clients give up after a minute, some earlier.
const MAX_CALL: Duration = Duration::from_secs(9);

const INSTRUCTIONS: &str = "\
Searches and researches the user's own documents. `search` finds passages and `fetch` reads one of them or a whole \
document; both are quick. For a question that needs several searches, `research_start` begins a research in the \
background, which plans, searches, looks at what is missing and writes a report whose every citation leads to a \
passage; ask `research_status` until it is done, then `research_result` gives the report. `collections` tells what \
there is to search.";

/// The MCP server, for one client or many.
#[derive(Clone)]
pub struct McpServer {
    library: Library,
    desk: Arc<Desk>,
    /// The folder from which `load` may load; `None`: the tool is not offered.
    load_from: Option<PathBuf>,
}

impl McpServer {
    /// Creates the server; with `load_from`, it offers a tool that loads files of this folder.
    pub fn new(library: Library, desk: Arc<Desk>, load_from: Option<PathBuf>) -> Self {
        McpServer { library, desk, load_from }
    }

    /// The folder from which the sender may load.
    fn loads_from(&self, access: &Access) -> Option<&Path> {
        self.load_from.as_deref().filter(|_| access.load)
    }

    /// The run whose report a call asks for, if it has not ended.
    fn unfinished(&self, arguments: &JsonObject, access: &Access) -> Option<Arc<ServedRun>> {
        let run = self.desk.find(arguments.get("id")?.as_str()?, access).ok()?;
        (!matches!(run.phase(), Phase::Ended(_))).then_some(run)
    }

    fn task(&self, id: &str, context: &RequestContext<RoleServer>) -> Result<Arc<ServedRun>, ErrorData> {
        let run = self.desk.find(id, &McpServer::access(context));
        run.map_err(|refusal| ErrorData::invalid_params(refusal.text(), None))
    }

    /// What the sender may see: HTTP requests carry it; standard input belongs to the user.
    fn access(context: &RequestContext<RoleServer>) -> Access {
        match context.extensions.get::<Parts>() {
            // A request that did not pass the guard sees nothing.
            Some(parts) => parts.extensions.get::<Access>().cloned().unwrap_or(Access {
                owner: Some(String::new()),
                collections: Some(Vec::new()),
                load: false,
                budget: Budget { runs: Some(0), ..Budget::default() },
            }),
            None => Access::full(),
        }
    }
}

/// The answer to a call; a refusal becomes an error result that the model can read.
fn tool_result(answer: Result<Value, Refusal>) -> CallToolResult {
    match answer {
        Ok(value) => CallToolResult::structured(value),
        Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.text())]),
    }
}

/// Serves standard input and output until the client closes them.
pub async fn over_stdio(server: McpServer) -> io::Result<()> {
    let (stdin, stdout) = rmcp::transport::stdio();
    let transport = AsyncRwTransport::new_server(stdin, stdout).with_max_line_length(MAX_LINE_BYTES);
    match rmcp::serve_server(server, transport).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        },
        // A client that leaves before the handshake is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().enable_tasks().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("deepsearch", env!("CARGO_PKG_VERSION")).with_title("deepsearch"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let load = self.loads_from(&McpServer::access(&context)).is_some();
        Ok(ListToolsResult::with_all_items(tools::specs(load)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let access = McpServer::access(&context);
        let arguments = request.arguments.unwrap_or_default();
        let takes_tasks = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        if takes_tasks
            && request.name == tools::RESULT
            && let Some(run) = self.unfinished(&arguments, &access)
        {
            return Ok(tasks::created(&run).into());
        }
        let call = tools::call(self, &request.name, arguments, &access, &context);
        let answer = tokio::time::timeout(MAX_CALL, call).await.unwrap_or_else(|_| {
            Err(Refusal::failed(format!("`{}` took longer than {} s", request.name, MAX_CALL.as_secs()))
                .with_hint("try again; the first call after a start is the slowest"))
        });
        Ok(tool_result(answer).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let run = self.task(&request.task_id, &context)?;
        Ok(GetTaskResult::new(tasks::detailed(&run)))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = self.task(&request.task_id, &context)?;
        self.desk.cancel(&run, false).map_err(|refusal| ErrorData::invalid_params(refusal.text(), None))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.library, &McpServer::access(&context)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.library, &request.uri, &McpServer::access(&context)).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, &request.arguments.unwrap_or_default()).map(Into::into)
    }
}
