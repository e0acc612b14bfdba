// Secrets in what is thrown, and keys in what a model answers: no door shows one.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatModel, createRuntime, memoryStore, type RunEvent, WorkflowError } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { openaiModel } from 'agent-machines/models/openai';
import { exportRun } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { tracedStore } from 'agent-machines/telemetry';
import { defineTool } from 'agent-machines/tools';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { command } from '../cli/command.ts';
import { failure, final, logWorkflow, node } from '../fixtures/log-workflow.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { serve } from '../fixtures/served.ts';
import { spanRecorder } from '../fixtures/span-recorder.ts';

const canary = 'Canary0123456789';
const thrown = [
  `connect to postgres://app:p@${canary}@db.example/app failed`,
  `Incorrect API key provided: sk-proj-${canary}`,
  `POST https://api.example/v1?access_token=${canary}&page=2 with Authorization: Bearer ${canary}`,
  `{"password":"${canary}"}`,
  `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----`,
  `session eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}`,
].join('\n');

/** Throws at its first call and says later what it was told. */
const callingModel: ChatModel = {
  name: 'calling',
  generate: async ({ messages }) => {
    const told = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    const calls = told.length === 0 ? [{ id: 'call', name: 'lookup', arguments: '{}' }] : [];
    return { text: `told: ${told.join()}`, toolCalls: calls, usage: { inputTokens: 1, outputTokens: 1 }, model: 'calling', cached: false };
  },
};

const throwingTool = (error: () => Error) =>
  defineTool({
    name: 'lookup',
    description: 'Looks something up.',
    access: 'compute',
    input: z.object({}),
    execute: async () => {
      throw error();
    },
  });

const errors = {
  'a plain error': () => new Error(thrown),
  'an error of the package': () =>
    new WorkflowError({
      code: 'TOOL_FAILED',
      message: thrown,
      hint: thrown,
      data: { url: thrown, deep: [thrown], apiKey: canary },
      cause: new Error(thrown),
    }),
};

const workflows = {
  'a tool': (error: () => Error) => toolAgent({ model: callingModel, tools: [throwingTool(error)] }),
  'a model': (error: () => Error) => toolAgent({ model: { name: 'broken', generate: () => Promise.reject(error()) }, tools: [] }),
  'a node': (error: () => Error) =>
    logWorkflow({
      id: 'tool_agent',
      initial: 'work',
      states: { work: node('work', 'done'), done: final, failed: failure },
      nodes: { work: () => Promise.reject(error()) },
    }),
  'a step': (error: () => Error) =>
    logWorkflow({
      id: 'tool_agent',
      initial: 'work',
      states: { work: node('work', 'done'), done: final, failed: failure },
      nodes: { work: async (_state, io) => ({ log: [String(await io.step('ask', () => Promise.reject(error())))] }) },
    }),
};

const rows = Object.entries(workflows).flatMap(([thrower, make]) =>
  Object.entries(errors).map(([kind, error]) => [thrower, kind, make, error] as const),
);

it.each(rows)('hides a secret that %s throws as %s, at every output', async (_thrower, _kind, make, error) => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'runs.db');
  const { provider, spans } = spanRecorder();
  const store = tracedStore(sqliteStore({ path }), { tracerProvider: provider, content: true });
  const workflow = make(error);
  const runtime = createRuntime({ store, workflows: [workflow] });
  const { ask } = serve({ store, runtime, workflows: [workflow] });
  const { body } = await ask('POST', '/api/runs', { workflow: 'tool_agent', input: 'tools' in workflow ? {} : { input: 'q' } });
  const run = await runtime.resume(body.id);
  const result = await run.result;
  const events: RunEvent[] = [];
  for await (const event of runtime.events(body.id)) events.push(event);
  const shown = await Promise.all(
    ['', '/journal'].map(async (more) => JSON.stringify((await ask('GET', `/api/runs/${body.id}${more}`)).body)),
  );
  const exported = JSON.stringify(await exportRun(store, body.id, { snapshot: true }));
  const journal = JSON.stringify(await store.journal(body.id));
  const terminal = [];
  for (const args of [['show', body.id], ['show', body.id, '--json'], ['runs']]) {
    const { stdout, stderr } = await command(folder, [...args, '--db', path]);
    terminal.push(stdout, stderr);
  }
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const doors = { result, events, shown, exported, journal, terminal, spans, bytes };
  for (const [door, value] of Object.entries(doors)) expect(JSON.stringify(value).includes(canary), door).toBe(false);
  expect(journal).toContain('[secret]'); // it has been there
  expect(journal).not.toContain('BEGIN PRIVATE KEY');
  expect(journal).toContain('&page=2');
  await runtime.close();
});

it('keeps a configured key that a model repeats out of the journal, for every split of its tokens', async () => {
  const server = await startOpenaiServer();
  onTestFinished(() => server.close());
  const apiKey = 'my-configured-key-0123';
  const model = openaiModel({
    model: 'test',
    apiKey,
    baseURL: server.url,
    headers: { 'x-api-key': 'another-key-4567', 'x-title': 'my title' },
  });
  server.answer({ type: 'completion', text: `Your key is ${apiKey}, my title, my-con and another-key-4567.` });
  const tokens: string[] = [];
  const workflow = toolAgent({ model, tools: [] });
  const runtime = createRuntime({ store: memoryStore(), workflows: [workflow] });
  const run = await runtime.start(workflow, { input: 'Which key do you have?' });
  for await (const event of run.events()) if (event.type === 'token') tokens.push(event.text);
  expect(tokens.join('')).toBe('Your key is [key], my title, my-con and [key].');
  expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'Your key is [key], my title, my-con and [key].' } });
  await runtime.close();
});
