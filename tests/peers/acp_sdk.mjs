// A client made with the protocol's own SDK: it has one file open with unsaved text, allows what it is
// asked once, and prints what happened as JSON. Arguments: the packages' folder, the agent, the project.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [peers, agent, cwd] = process.argv.slice(2);
const sdk = join(peers, 'node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js');
const acp = await import(pathToFileURL(sdk));

const report = { said: '', asked: 0, written: null, kinds: [] };
const texts = new Map([[join(cwd, 'a.txt'), 'an unsaved alpha\n']]);

const app = acp
  .client({ name: 'proof' })
  .onNotification('session/update', ({ params: { update } }) => {
    report.kinds.push(update.sessionUpdate);
    if (update.sessionUpdate === 'agent_message_chunk') report.said += update.content.text;
  })
  .onRequest('session/request_permission', ({ params: { options } }) => {
    report.asked += 1;
    const option = options.find((option) => option.kind === 'allow_once');
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  })
  .onRequest('fs/read_text_file', ({ params: { path } }) => {
    if (!texts.has(path)) throw acp.RequestError.resourceNotFound(path);
    return { content: texts.get(path) };
  })
  .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
    texts.set(path, content);
    report.written = content;
    return {};
  });

const child = spawn(agent, ['acp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await app.connectWith(stream, async (connection) => {
  const about = await connection.request('initialize', {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
  });
  if (about.protocolVersion !== 1) throw new Error(`version ${about.protocolVersion}`);
  const { sessionId } = await connection.request('session/new', { cwd, mcpServers: [] });
  await connection.request('session/set_mode', { sessionId, modeId: 'default' });
  const prompt = [{ type: 'text', text: 'change the word' }];
  const { stopReason } = await connection.request('session/prompt', { sessionId, prompt });
  report.stopReason = stopReason;
  const { sessions } = await connection.request('session/list', { cwd });
  if (!sessions.some((session) => session.sessionId === sessionId)) throw new Error('not listed');
  await connection.request('session/close', { sessionId });
});
console.log(JSON.stringify(report));
child.stdin.end();
