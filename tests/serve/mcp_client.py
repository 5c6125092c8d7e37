"""The official Python client of the Model Context Protocol against `deepsearch mcp` or `deepsearch serve`.

    python mcp_client.py stdio BINARY [ARGUMENT...]
    python mcp_client.py http URL TOKEN

The collections must hold examples/simpsons, and the model must be one that answers at once.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

QUESTION = "How has The Simpsons changed over time?"


def content(result):
    """The one text item, which says the same as the structured content."""
    assert not result.is_error, result
    assert len(result.content) == 1, result
    told = json.loads(result.content[0].text)
    assert told == result.structured_content, result
    return told


def error(result):
    assert result.is_error, result
    return result.content[0].text


async def check(session):
    assert session.server_info.name == "deepsearch", session.server_info
    print("protocol", session.protocol_version)

    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert {"search", "fetch", "collections", "research_start", "research_status", "research_result",
            "research_cancel"} <= set(tools), tools
    assert "load" not in tools
    assert tools["search"].annotations.read_only_hint and not tools["search"].annotations.open_world_hint

    found = content(await session.call_tool("search", {"query": "box office of the film"}))["results"]
    assert found and all(set(one) == {"id", "title", "url"} and all(one.values()) for one in found), found
    passage = content(await session.call_tool("fetch", {"id": found[0]["id"]}))
    assert set(passage) == {"id", "title", "text", "url", "metadata"} and "million" in passage["text"], passage
    document = content(await session.call_tool("fetch", {"id": passage["metadata"]["document"]}))
    assert passage["text"] in document["text"]
    only = content(await session.call_tool("search", {"query": "Homer", "collections": ["history"]}))["results"]
    for one in only:
        assert content(await session.call_tool("fetch", {"id": one["id"]}))["metadata"]["collection"] == "history"

    for name, arguments in [
        ("search", {"query": " "}), ("search", {"query": "x", "collection": "history"}), ("search", {}),
        ("search", {"query": "x", "collections": ["missing"]}), ("fetch", {"id": "../../etc/passwd"}),
        ("fetch", {"id": "d99999"}), ("research_status", {"id": "../token"}), ("research_result", {"id": ""}),
        ("research_start", {"question": "x?", "strategy": "magic"}), ("nothing", {}),
    ]:
        told = error(await session.call_tool(name, arguments))
        assert told, (name, arguments)
        assert "hint:" in told or name == "nothing" or "d99999" in told, told

    collections = content(await session.call_tool("collections", {}))["collections"]
    assert [one["name"] for one in collections] == ["audience", "characters", "history"], collections

    begun = content(await session.call_tool("research_start", {"question": QUESTION}))
    heard = []

    async def progress(done, total, message):
        heard.append((done, message))

    while True:
        state = content(await session.call_tool("research_status", {"id": begun["id"]}, progress_callback=progress))
        if state["status"] not in ("queued", "running"):
            break
    assert state["status"] == "completed", state
    assert state["progress"][0].startswith("Plan:") or "Plan:" in " ".join(state["progress"]), state
    result = content(await session.call_tool("research_result", {"id": begun["id"]}))
    assert "## Sources" in result["report"] and result["citations"], result
    assert all(one["url"] and one["id"] and one["quote"] for one in result["citations"])
    cited = content(await session.call_tool("fetch", {"id": result["citations"][0]["id"]}))
    assert cited["text"]
    ended = content(await session.call_tool("research_cancel", {"id": begun["id"]}))
    assert ended["status"] == "completed", "a run that is over stays as it is"
    print("progress notifications", len(heard))

    resources = (await session.list_resources()).resources
    assert [str(one.uri) for one in resources][0] == "deepsearch://collection/audience", resources
    listed = json.loads((await session.read_resource(resources[2].uri)).contents[0].text)
    first = listed["documents"][0]["uri"]
    whole = (await session.read_resource(first)).contents[0].text
    part = (await session.read_resource(first + "/0")).contents[0].text
    assert part[:40] in whole
    assert len((await session.list_resource_templates()).resource_templates) == 3
    for uri in ["deepsearch://document/d99999", "deepsearch://collection/../x", "deepsearch://document/%2e%2e"]:
        try:
            await session.read_resource(uri)
        except Exception as refused:
            assert "no" in str(refused), refused
        else:
            raise AssertionError(uri)

    prompts = (await session.list_prompts()).prompts
    assert [one.name for one in prompts] == ["research", "answer", "compare"], prompts
    text = (await session.get_prompt("research", {"question": "Why?"})).messages[0].content.text
    assert "Why?" in text
    print("ok")


async def main(kind, *arguments):
    # The handshake of the older versions of the protocol, and the newest, which has none.
    for mode in ["legacy", "auto"]:
        if kind == "stdio":
            server = StdioServerParameters(command=arguments[0], args=list(arguments[1:]), env=None)
            async with Client(stdio_client(server), mode=mode) as client:
                await check(client)
        else:
            import httpx2

            url, token = arguments
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
                async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                    await check(client)


asyncio.run(main(*sys.argv[1:]))
