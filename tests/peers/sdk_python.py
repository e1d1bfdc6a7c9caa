"""The official Python Agent SDK drives Bowline: one case for each argument.

The binary is BOWLINE_BIN, the model's server is in the environment. A case that fails raises.
"""

import asyncio
import os
import shutil
import sys
import uuid

from claude_agent_sdk import (
    AgentDefinition,
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    InMemorySessionStore,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultError,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    create_sdk_mcp_server,
    project_key_for_directory,
    query,
    tool,
)


def options(**more):
    return ClaudeAgentOptions(cli_path=os.environ["BOWLINE_BIN"], cwd=os.getcwd(), **more)


def texts(messages):
    blocks = [block for it in messages if isinstance(it, AssistantMessage) for block in it.content]
    return [block.text for block in blocks if isinstance(block, TextBlock)]


def last_result(messages):
    return [it for it in messages if isinstance(it, ResultMessage)][-1]


async def ask(prompt, **more):
    return [message async for message in query(prompt=prompt, options=options(**more))]


async def one_query():
    messages = await ask("hi")
    assert texts(messages) == ["Hello."], messages
    result = last_result(messages)
    assert result.subtype == "success" and result.result == "Hello." and not result.is_error, result
    init = next(it for it in messages if isinstance(it, SystemMessage) and it.subtype == "init")
    assert "Bash" in init.data["tools"], init


async def a_conversation():
    async with ClaudeSDKClient(options()) as client:
        info = await client.get_server_info()
        assert any(command["name"] == "compact" for command in info["commands"]), info
        for _ in range(2):
            await client.query("hi")
            messages = [message async for message in client.receive_response()]
            assert texts(messages) == ["Hello."], messages
        usage = await client.get_context_usage()
        assert usage["totalTokens"] > 0, usage
        status = await client.get_mcp_status()
        assert status["mcpServers"] == [], status


async def streamed_input():
    async def prompts():
        for text in ["one", "two"]:
            yield {"type": "user", "message": {"role": "user", "content": text}}

    messages = [it async for it in query(prompt=prompts(), options=options())]
    assert sum(isinstance(it, ResultMessage) for it in messages) >= 1, messages
    assert texts(messages)[0] == "Hello.", messages


async def permission_callback():
    asked = []

    async def decide(name, given, context):
        asked.append((name, given, context.tool_use_id))
        if given["command"] == "touch no":
            return PermissionResultDeny(message="Not that one.")
        return PermissionResultAllow(updated_input={**given, "command": "touch changed"})

    async with ClaudeSDKClient(options(can_use_tool=decide)) as client:
        await client.query("go")
        messages = [message async for message in client.receive_response()]
    assert [it[1]["command"] for it in asked] == ["touch no", "touch yes"], asked
    assert os.path.exists("changed") and not os.path.exists("no") and not os.path.exists("yes")
    blocks = [block for it in messages if isinstance(it, UserMessage) for block in it.content]
    results = [block for block in blocks if isinstance(block, ToolResultBlock)]
    assert "Not that one." in str(results[0].content), results
    assert last_result(messages).permission_denials[0]["tool_name"] == "Bash"


async def hooks():
    heard = []

    async def before(given, call, _):
        heard.append((given["hook_event_name"], given["tool_name"], call))
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": "A hook says no.",
            }
        }

    matchers = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[before])]}
    messages = await ask("go", hooks=matchers, allowed_tools=["Bash(touch *)"])
    assert heard and heard[0][:2] == ("PreToolUse", "Bash"), heard
    assert not os.path.exists("made")
    assert last_result(messages).subtype == "success"


async def custom_tools():
    @tool("add", "Adds two numbers", {"a": float, "b": float})
    async def add(given):
        return {"content": [{"type": "text", "text": f"sum {given['a'] + given['b']}"}]}

    server = create_sdk_mcp_server(name="calc", version="1.0.0", tools=[add])
    messages = await ask("go", mcp_servers={"calc": server}, allowed_tools=["mcp__calc__add"])
    blocks = [block for it in messages if isinstance(it, UserMessage) for block in it.content]
    assert "sum 5" in str(blocks), messages
    assert last_result(messages).result == "It is 5.", messages


async def structured_output():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    messages = await ask("count", output_format={"type": "json_schema", "schema": schema})
    assert last_result(messages).structured_output == {"n": 5}, messages


async def interrupts():
    async with ClaudeSDKClient(options(include_partial_messages=True)) as client:
        await client.query("go")
        async for message in client.receive_messages():
            if isinstance(message, StreamEvent):
                break
        await client.interrupt()
        messages = [message async for message in client.receive_response()]
        assert last_result(messages).subtype == "error_during_execution", messages
        await client.query("again")
        messages = [message async for message in client.receive_response()]
        assert last_result(messages).result == "Second.", messages


async def changes_of_model_and_mode():
    async with ClaudeSDKClient(options(model="sonnet")) as client:
        await client.set_model("haiku")
        await client.set_permission_mode("acceptEdits")
        await client.query("hi")
        messages = [message async for message in client.receive_response()]
        init = next(it for it in messages if isinstance(it, SystemMessage) and it.subtype == "init")
        assert "haiku" in init.data["model"], init
        assert init.data["permissionMode"] == "acceptEdits", init


async def resume_and_fork():
    first = last_result(await ask("hi")).session_id
    again = last_result(await ask("hi", resume=first)).session_id
    assert again == first
    copy = last_result(await ask("hi", resume=first, fork_session=True)).session_id
    assert copy != first


async def partial_messages():
    messages = await ask("hi", include_partial_messages=True)
    kinds = [it.event["type"] for it in messages if isinstance(it, StreamEvent)]
    assert kinds[0] == "message_start" and kinds[-1] == "message_stop", kinds


async def agents():
    looker = AgentDefinition(description="Looks.", prompt="You look at files.")
    messages = await ask("go", agents={"looker": looker}, allowed_tools=["Agent"])
    inner = [it for it in messages if isinstance(it, AssistantMessage) and it.parent_tool_use_id]
    calls = [block for it in inner for block in it.content if isinstance(block, ToolUseBlock)]
    assert [call.name for call in calls] == ["Read"], messages


async def rewinds_files():
    more = {"replay-user-messages": None}
    wanted = options(permission_mode="acceptEdits", enable_file_checkpointing=True, extra_args=more)
    async with ClaudeSDKClient(wanted) as client:
        await client.query("write")
        messages = [message async for message in client.receive_response()]
        said = next(it for it in messages if isinstance(it, UserMessage) and it.uuid)
        assert os.path.exists("new.txt")
        await client.rewind_files(said.uuid)
        assert not os.path.exists("new.txt")


async def kept_elsewhere():
    store = InMemorySessionStore()
    result = last_result(await ask("hi", session_store=store))
    key = {"project_key": project_key_for_directory(os.getcwd()), "session_id": result.session_id}
    entries = await store.load(key)
    assert [it["type"] for it in entries if it["type"] != "bowline"] == ["user", "assistant"], entries
    # Another machine: nothing of the session is there but what the store has.
    shutil.rmtree(os.path.join(os.environ["BOWLINE_HOME"], "sessions"))
    again = last_result(await ask("and now?", session_store=store, resume=result.session_id))
    assert again.session_id == result.session_id, again
    assert len(await store.load(key)) > len(entries)


async def resumes_at_a_message():
    async with ClaudeSDKClient(options()) as client:
        said = []
        for text in ["one", "two"]:
            await client.query(text)
            said.append([message async for message in client.receive_response()])
    first = [it for it in said[0] if isinstance(it, AssistantMessage)][-1]
    session = last_result(said[0]).session_id
    more = dict(resume=session, resume_session_at=first.uuid, fork_session=True)
    copy = last_result(await ask("three", **more))
    assert copy.session_id != session and copy.result == "Hello.", copy
    try:
        await ask("four", resume_drops_turn=str(uuid.uuid4()), **more)
    except Exception as error:
        assert "Resume rejected by --resume-drops-turn:" in str(error), error
    else:
        raise AssertionError("what would be lost was not said")


async def server_status_and_tasks():
    @tool("add", "Adds two numbers", {"a": float, "b": float})
    async def add(given):
        return {"content": [{"type": "text", "text": "sum"}]}

    server = create_sdk_mcp_server(name="calc", version="1.0.0", tools=[add])
    async with ClaudeSDKClient(options(mcp_servers={"calc": server})) as client:
        await client.query("hi")
        messages = [message async for message in client.receive_response()]
        assert last_result(messages).result == "Hello.", messages
        status = await client.get_mcp_status()
        assert [(it["name"], it["status"]) for it in status["mcpServers"]] == [("calc", "connected")]
        await client.toggle_mcp_server("calc", False)
        status = await client.get_mcp_status()
        assert status["mcpServers"][0]["status"] == "disabled", status
        await client.toggle_mcp_server("calc", True)
        await client.reconnect_mcp_server("calc")
        try:
            await client.stop_task("nobody")
        except Exception as error:
            assert "nobody" in str(error), error
        else:
            raise AssertionError("there is no such task")


async def budget_of_money():
    try:
        await ask("go", max_budget_usd=0.000001)
    except ResultError as error:
        assert "budget" in str(error), error
    else:
        raise AssertionError("the budget was used up")


async def budgets_and_errors():
    try:
        await ask("go", max_turns=1)
    except ResultError as error:
        assert "max-turns" in str(error), error
    else:
        raise AssertionError("an error result is an error")


CASES = {
    case.__name__: case
    for case in [
        one_query,
        a_conversation,
        streamed_input,
        permission_callback,
        hooks,
        custom_tools,
        structured_output,
        interrupts,
        changes_of_model_and_mode,
        resume_and_fork,
        partial_messages,
        agents,
        rewinds_files,
        budgets_and_errors,
        kept_elsewhere,
        resumes_at_a_message,
        server_status_and_tasks,
        budget_of_money,
    ]
}

if __name__ == "__main__":
    asyncio.run(CASES[sys.argv[1]]())
