// The official TypeScript Agent SDK drives Bowline: one case for each argument.
//
// The binary is BOWLINE_BIN, the SDK is below SDK_PEERS, the model's server is in the environment. A
// case that fails throws.

import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.SDK_PEERS}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { createSdkMcpServer, InMemorySessionStore, query, tool } = await load("@anthropic-ai/claude-agent-sdk");

const options = (more) => ({
  pathToClaudeCodeExecutable: process.env.BOWLINE_BIN,
  cwd: process.cwd(),
  ...more,
});

async function collect(stream) {
  const messages = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

const ask = (prompt, more) => collect(query({ prompt, options: options(more) }));

const blocks = (messages, type) =>
  messages.filter((it) => it.type === type).flatMap((it) => it.message.content);
const texts = (messages) =>
  blocks(messages, "assistant").flatMap((block) => (block.type === "text" ? [block.text] : []));
const lastResult = (messages) => messages.findLast((it) => it.type === "result");
const init = (messages) => messages.find((it) => it.type === "system" && it.subtype === "init");

// A host that says one thing after the other.
function conversation() {
  const waiting = [];
  let wake = () => {};
  let ended = false;
  const say = (text) => {
    waiting.push({
      type: "user",
      message: { role: "user", content: text },
      parent_tool_use_id: null,
    });
    wake();
  };
  const end = () => {
    ended = true;
    wake();
  };
  async function* input() {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift();
      if (ended) return;
      await new Promise((resolve) => (wake = resolve));
    }
  }
  return { say, end, input: input() };
}

// Everything up to the next result.
async function turn(stream) {
  const messages = [];
  for (;;) {
    const { value, done } = await stream.next();
    if (done) return messages;
    messages.push(value);
    if (value.type === "result") return messages;
  }
}

const cases = {
  async one_query() {
    const messages = await ask("hi");
    assert.deepEqual(texts(messages), ["Hello."]);
    const result = lastResult(messages);
    assert.equal(result.subtype, "success");
    assert.equal(result.result, "Hello.");
    assert.ok(init(messages).tools.includes("Bash"));
  },

  async a_conversation() {
    const { say, end, input } = conversation();
    const stream = query({ prompt: input, options: options() });
    say("hi");
    assert.deepEqual(texts(await turn(stream)), ["Hello."]);
    const commands = await stream.supportedCommands();
    assert.ok(commands.some((command) => command.name === "compact"));
    assert.ok((await stream.supportedModels()).length > 1);
    say("hi");
    assert.deepEqual(texts(await turn(stream)), ["Hello."]);
    end();
    await collect(stream);
  },

  async permission_callback() {
    const asked = [];
    const canUseTool = async (name, input) => {
      asked.push(input.command);
      if (input.command === "touch no") return { behavior: "deny", message: "Not that one." };
      return { behavior: "allow", updatedInput: { ...input, command: "touch changed" } };
    };
    const messages = await ask("go", { canUseTool });
    assert.deepEqual(asked, ["touch no", "touch yes"]);
    assert.ok(existsSync("changed") && !existsSync("no") && !existsSync("yes"));
    assert.ok(JSON.stringify(blocks(messages, "user")).includes("Not that one."));
  },

  async hooks() {
    const heard = [];
    const before = async (input) => {
      heard.push(input.tool_name);
      return {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "A hook says no.",
        },
      };
    };
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [before] }] };
    await ask("go", { hooks, allowedTools: ["Bash(touch *)"] });
    assert.deepEqual(heard, ["Bash"]);
    assert.ok(!existsSync("made"));
  },

  async custom_tools() {
    const { z } = await load("zod");
    const add = tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async (given) => ({
      content: [{ type: "text", text: `sum ${given.a + given.b}` }],
    }));
    const calc = createSdkMcpServer({ name: "calc", version: "1.0.0", tools: [add] });
    const more = { mcpServers: { calc }, allowedTools: ["mcp__calc__add"] };
    const messages = await ask("go", more);
    assert.ok(JSON.stringify(blocks(messages, "user")).includes("sum 5"), JSON.stringify(messages));
    assert.equal(lastResult(messages).result, "It is 5.");
  },

  async structured_output() {
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
    };
    const messages = await ask("count", { outputFormat: { type: "json_schema", schema } });
    assert.deepEqual(lastResult(messages).structured_output, { n: 5 });
  },

  async interrupts() {
    const { say, end, input } = conversation();
    const more = { includePartialMessages: true };
    const stream = query({ prompt: input, options: options(more) });
    say("go");
    for (;;) {
      const { value } = await stream.next();
      if (value.type === "stream_event") break;
    }
    await stream.interrupt();
    assert.equal(lastResult(await turn(stream)).subtype, "error_during_execution");
    say("again");
    assert.equal(lastResult(await turn(stream)).result, "Second.");
    end();
    await collect(stream);
  },

  async changes_of_model_and_mode() {
    const { say, end, input } = conversation();
    const stream = query({ prompt: input, options: options({ model: "sonnet" }) });
    await stream.setModel("haiku");
    await stream.setPermissionMode("acceptEdits");
    say("hi");
    const begun = init(await turn(stream));
    assert.ok(begun.model.includes("haiku"), begun.model);
    assert.equal(begun.permissionMode, "acceptEdits");
    end();
    await collect(stream);
  },

  async resume_and_fork() {
    const first = lastResult(await ask("hi")).session_id;
    assert.equal(lastResult(await ask("hi", { resume: first })).session_id, first);
    const copy = lastResult(await ask("hi", { resume: first, forkSession: true })).session_id;
    assert.notEqual(copy, first);
  },

  async partial_messages() {
    const messages = await ask("hi", { includePartialMessages: true });
    const kinds = messages.flatMap((it) => (it.type === "stream_event" ? [it.event.type] : []));
    assert.equal(kinds[0], "message_start");
    assert.equal(kinds.at(-1), "message_stop");
  },

  async agents() {
    const looker = { description: "Looks.", prompt: "You look at files." };
    const messages = await ask("go", { agents: { looker }, allowedTools: ["Agent"] });
    const inner = messages.filter((it) => it.type === "assistant" && it.parent_tool_use_id);
    const names = blocks(inner, "assistant").map((block) => block.name);
    assert.deepEqual(names, ["Read"]);
  },

  async rewinds_files() {
    const { say, end, input } = conversation();
    const more = {
      permissionMode: "acceptEdits",
      enableFileCheckpointing: true,
      extraArgs: { "replay-user-messages": null },
    };
    const stream = query({ prompt: input, options: options(more) });
    say("write");
    const said = (await turn(stream)).find((it) => it.type === "user" && it.isReplay);
    assert.ok(existsSync("new.txt"));
    const trial = await stream.rewindFiles(said.uuid, { dryRun: true });
    assert.ok(trial.canRewind && existsSync("new.txt"), JSON.stringify(trial));
    await stream.rewindFiles(said.uuid);
    assert.ok(!existsSync("new.txt"));
    end();
    await collect(stream);
  },

  async kept_elsewhere() {
    const sessionStore = new InMemorySessionStore();
    const first = lastResult(await ask("hi", { sessionStore })).session_id;
    // Another machine: nothing of the session is there but what the store has.
    rmSync(`${process.env.BOWLINE_HOME}/sessions`, { recursive: true });
    const again = lastResult(await ask("and now?", { sessionStore, resume: first }));
    assert.equal(again.session_id, first);
    assert.equal(again.result, "Hello.");
  },

  async questions_of_the_host() {
    const { say, end, input } = conversation();
    const stream = query({ prompt: input, options: options({ toolAliases: { Look: "Read" } }) });
    say("hi");
    await turn(stream);
    assert.ok((await stream.mcpServerStatus()).length === 0);
    assert.ok((await stream.getContextUsage()).totalTokens > 0);
    assert.ok((await stream.supportedAgents()).some((agent) => agent.name === "Explore"));
    assert.equal((await stream.readFile("a.txt")).contents, "alpha\n");
    assert.deepEqual((await stream.reloadPlugins()).plugins, []);
    await stream.applyFlagSettings({ effortLevel: "low" });
    await stream.setMaxThinkingTokens(2000);
    end();
    await collect(stream);
  },

  async budgets_and_errors() {
    let result;
    await assert.rejects(async () => {
      for await (const message of query({ prompt: "go", options: options({ maxTurns: 1 }) })) {
        if (message.type === "result") result = message;
      }
    });
    assert.equal(result.subtype, "error_max_turns");
  },
};

await cases[process.argv[2]]();
process.exit(0);
