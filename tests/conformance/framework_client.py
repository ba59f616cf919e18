"""The tasks of `clients.TASKS` by the MCP client of an agent framework, in the environment that has it.

python framework_client.py FRAMEWORK stdio|http TARGET… prints one JSON object: task → what came of it. Tools are called
as the framework's agents call them, with what a model would have said; no model is asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

Call = Callable[[str, dict[str, Any]], Awaitable[str]]
Tasks = Callable[[list[str], Call], Awaitable[dict[str, bool]]]


async def tasks(names: list[str], call: Call) -> dict[str, bool]:
    """The tasks, given the names of the tools and how to call one; `call` answers what a model would read."""
    evolved = await call(
        "evolve", {"name": "double", "description": "Doubles", "code": {"mul": [{"var": "x"}, 2]}}
    )
    run = await call("run", {"code": "double", "input": 617283})
    wrong = await call("run", {"code": "no_such_tool"})
    claim = await call("evaluate", {"expression": "∀(x : ℤ). x + 0 = x"})
    return {
        "list": {"run", "evolve", "evaluate"} <= set(names),
        "evolve": "double" in evolved,
        "run": "1234566" in run,
        "error": "no_such_tool" in wrong,
        "verdict": "VERIFIED" in claim or "verified" in claim,
    }


async def by_pydantic_ai(transport: str, target: list[str]) -> dict[str, bool]:
    """An agent with the server as a toolset; the model is a function that says what to call."""
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    link = (
        StreamableHttpTransport(target[0])
        if transport == "http"
        else StdioTransport(target[0], target[1:], keep_alive=False)
    )
    names: list[str] = []

    async def call(name: str, given: dict[str, Any]) -> str:
        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            names[:] = [each.name for each in info.function_tools]
            last = messages[-1].parts[-1]
            if isinstance(last, ToolReturnPart):
                return ModelResponse(parts=[TextPart(last.model_response_str())])
            if last.part_kind == "retry-prompt":
                return ModelResponse(parts=[TextPart(last.model_response())])
            return ModelResponse(parts=[ToolCallPart(name, given)])

        answered = await agent.run("go", model=FunctionModel(model))
        return str(answered.output)

    toolset: Any = MCPToolset(link, init_timeout=60)
    agent = Agent(toolsets=[toolset])
    async with agent:
        await call("run", {"code": 1})
        return await tasks(names, call)


async def by_langchain(transport: str, target: list[str]) -> dict[str, bool]:
    """The server's tools as LangChain tools, called as a graph calls them."""
    from langchain_core.tools import ToolException
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    link: Any = (
        {"transport": "streamable_http", "url": target[0]}
        if transport == "http"
        else {"transport": "stdio", "command": target[0], "args": target[1:]}
    )
    client = MultiServerMCPClient({"pif": link})
    async with client.session("pif") as session:
        tools = {each.name: each for each in await load_mcp_tools(session)}

        async def call(name: str, given: dict[str, Any]) -> str:
            asked = {"name": name, "args": given, "id": "1", "type": "tool_call"}
            try:
                return str((await tools[name].ainvoke(asked)).content)
            except ToolException as error:  # an error result, with its text
                return str(error)

        return await tasks(list(tools), call)


async def by_openai_agents(transport: str, target: list[str]) -> dict[str, bool]:
    """The server's tools as the SDK's function tools, invoked with a model's JSON text."""
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil
    from agents.tool import FunctionTool
    from agents.tool_context import ToolContext

    server: Any = (
        MCPServerStreamableHttp({"url": target[0]}, client_session_timeout_seconds=60)
        if transport == "http"
        else MCPServerStdio({"command": target[0], "args": target[1:]}, client_session_timeout_seconds=60)
    )
    async with server:
        listed = await server.list_tools()
        tools = {
            each.name: MCPUtil.to_function_tool(each, server, convert_schemas_to_strict=False)
            for each in listed
        }

        async def call(name: str, given: dict[str, Any]) -> str:
            tool = tools[name]
            assert isinstance(tool, FunctionTool)
            text = json.dumps(given)
            context: Any = ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments=text)
            return str(await tool.on_invoke_tool(context, text))

        return await tasks(list(tools), call)


async def by_fastmcp(transport: str, target: list[str]) -> dict[str, bool]:
    """FastMCP's client, which validates answers by their output schemas."""
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    link: Any = (
        StreamableHttpTransport(target[0])
        if transport == "http"
        else StdioTransport(target[0], target[1:], keep_alive=False)
    )
    async with Client(link) as client:
        names = [each.name for each in await client.list_tools()]

        async def call(name: str, given: dict[str, Any]) -> str:
            answered = await client.call_tool(name, given, raise_on_error=False)
            return "".join(getattr(each, "text", "") for each in answered.content)

        return await tasks(names, call)


FRAMEWORKS = {
    "pydantic-ai": by_pydantic_ai,
    "langchain": by_langchain,
    "openai-agents": by_openai_agents,
    "fastmcp": by_fastmcp,
}

if __name__ == "__main__":
    _, framework, link_name, *rest = sys.argv
    print(json.dumps(asyncio.run(FRAMEWORKS[framework](link_name, rest))))
