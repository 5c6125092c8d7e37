"""The official Python client of the Model Context Protocol, with tasks, against `deepsearch mcp` or `deepsearch serve`.

    python mcp_tasks.py stdio BINARY [ARGUMENT...]
    python mcp_tasks.py http URL TOKEN

The collections must hold examples/simpsons, and the model must be that of slow.toml: a run lasts until it is stopped.
The client knows how an extension is declared, and leaves what the extension does to its user: that is `Tasks`.
"""

import asyncio
import sys
from typing import Any, ClassVar, Literal

from mcp import Client, StdioServerParameters
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict


class CreatedTask(Result):
    """What comes in place of a result."""

    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"


class OneTask(RequestParams):
    taskId: str


class GetTask(Request[OneTask, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    name_param: ClassVar[str | None] = "taskId"


class CancelTask(Request[OneTask, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    name_param: ClassVar[str | None] = "taskId"


class AnyResult(Result):
    model_config = ConfigDict(extra="allow")


class Tasks(ClientExtension):
    """Asks how a task stands until it has ended."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self):
        self.created = asyncio.Queue()
        self.states = []
        self.cancels = False

    def claims(self):
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=self.resolve)]

    async def resolve(self, created: CreatedTask, context: Any) -> CallToolResult:
        told = created.model_dump(by_alias=True)
        assert told["status"] == "working" and told["pollIntervalMs"] > 0, told
        await self.created.put(told["taskId"])
        ask = OneTask(taskId=told["taskId"])
        if self.cancels:
            await context.session.send_request(CancelTask(params=ask), AnyResult)
        while True:
            task = (await context.session.send_request(GetTask(params=ask), AnyResult)).model_dump(by_alias=True)
            self.states.append(task["status"])
            if task["status"] == "completed":
                return CallToolResult.model_validate(task["result"])
            if task["status"] != "working":
                return CallToolResult(content=[], is_error=True, structured_content={"status": task["status"]})
            await asyncio.sleep(0.1)


async def check(client, tasks):
    begin = lambda question: client.call_tool("research_start", {"question": question})
    run = (await begin("How has The Simpsons changed?")).structured_content["id"]
    report = asyncio.create_task(client.call_tool("research_result", {"id": run}))
    assert await tasks.created.get() == run
    while not any("Round 1" in line for line in
                  (await client.call_tool("research_status", {"id": run})).structured_content["progress"]):
        pass
    # It is over once somebody says so, and its result is that of the call.
    await client.call_tool("research_cancel", {"id": run, "write_report": True})
    result = await report
    assert "Film Roman drew the show" in result.structured_content["report"], result
    assert tasks.states[0] == "working" and tasks.states[-1] == "completed", tasks.states
    whole = await client.call_tool("research_result", {"id": run})
    assert whole.structured_content == result.structured_content, "what has ended is no task"

    tasks.cancels = True
    run = (await begin("And who ran it?")).structured_content["id"]
    result = await client.call_tool("research_result", {"id": run})
    assert result.structured_content == {"status": "cancelled"}, result
    state = await client.call_tool("research_status", {"id": run})
    assert state.structured_content["status"] == "cancelled", state
    print("ok")


async def main(kind, *arguments):
    tasks = Tasks()
    if kind == "stdio":
        server = StdioServerParameters(command=arguments[0], args=list(arguments[1:]), env=None)
        async with Client(stdio_client(server), mode="auto", extensions=[tasks]) as client:
            await check(client, tasks)
    else:
        import httpx2

        url, token = arguments
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
            async with Client(streamable_http_client(url, http_client=http), mode="auto", extensions=[tasks]) as client:
                await check(client, tasks)


asyncio.run(main(*sys.argv[1:]))
