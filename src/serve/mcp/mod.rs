//! The Model Context Protocol: tools, resources and prompts over standard input and output, or behind HTTP.

mod prompts;
mod resources;
mod tools;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer};

use super::{Access, Desk, Library, Refusal};

/// The longest message that is taken over standard input, in bytes.
const MAX_LINE_BYTES: usize = 4 << 20;
/// No call takes longer: clients give up after a minute, some earlier.
const MAX_CALL: Duration = Duration::from_secs(9);

const INSTRUCTIONS: &str = "\
Searches and researches the user's own documents. `search` finds passages and `fetch` reads one of them or a whole \
document; both are quick. For a question that needs several searches, `research_start` begins a research in the \
background, which plans, searches, looks at what is missing and writes a report whose every citation leads to a \
passage; ask `research_status` until it is done, then `research_result` gives the report. `collections` tells what \
there is to search.";

/// Answers one client, or many.
#[derive(Clone)]
pub struct McpServer {
    library: Library,
    desk: Arc<Desk>,
    /// Folder from which `load` may load; `None`: there is no such tool.
    load_from: Option<PathBuf>,
}

impl McpServer {
    /// With `load_from` there is a tool that loads files of this folder.
    pub fn new(library: Library, desk: Arc<Desk>, load_from: Option<PathBuf>) -> Self {
        McpServer { library, desk, load_from }
    }

    /// What the sender may see: HTTP requests carry it; standard input is the user's own.
    fn access(context: &RequestContext<RoleServer>) -> Access {
        match context.extensions.get::<Parts>() {
            // A request that nobody let in sees nothing.
            Some(parts) => parts.extensions.get::<Access>().cloned().unwrap_or(Access {
                owner: Some(String::new()),
                collections: Some(Vec::new()),
                load: false,
            }),
            None => Access::full(),
        }
    }
}

/// Answers over standard input and output until the client closes them.
pub async fn over_stdio(server: McpServer) -> io::Result<()> {
    let (stdin, stdout) = rmcp::transport::stdio();
    let transport = AsyncRwTransport::new_server(stdin, stdout).with_max_line_length(MAX_LINE_BYTES);
    match rmcp::serve_server(server, transport).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        },
        // A client that leaves before it says anything is none.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("deepsearch", env!("CARGO_PKG_VERSION")).with_title("deepsearch"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let load = self.load_from.is_some() && McpServer::access(&context).load;
        Ok(ListToolsResult::with_all_items(tools::specs(load)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let access = McpServer::access(&context);
        let arguments = request.arguments.unwrap_or_default();
        let call = tools::call(self, &request.name, arguments, &access, &context);
        let answer = tokio::time::timeout(MAX_CALL, call).await.unwrap_or_else(|_| {
            Err(Refusal::failed(format!("`{}` took longer than {} s", request.name, MAX_CALL.as_secs()))
                .with_hint("try again; the first call after a start is the slowest"))
        });
        Ok(match answer {
            Ok(value) => CallToolResult::structured(value),
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.text())]),
        }
        .into())
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
