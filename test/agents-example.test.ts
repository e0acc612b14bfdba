// The five agents of docs/examples/agents, with scripted models and real files, databases and sites.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRuntime } from 'agent-machines';
import { teamExploration, teamInvariants } from 'agent-machines/machines/agent-team/testing';
import { scriptedModel } from 'agent-machines/models';
import { exploreMachine, never } from 'agent-machines/testing';
import { createGuardedFetch } from 'agent-machines/tools/node';
import { expect, it, onTestFinished } from 'vitest';
import { editor } from '../docs/examples/agents/files.ts';
import { researcher } from '../docs/examples/agents/research.ts';
import { analyst } from '../docs/examples/agents/sql.ts';
import { agents, helpDesk } from '../docs/examples/agents/triage.ts';
import { planner } from '../docs/examples/agents/weather-and-calendar.ts';
import { calls, says } from './machines/tool-agent/helpers.ts';

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** What the tools have told the model. */
const toldTo = (model: ReturnType<typeof scriptedModel>): readonly string[] =>
  model.requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : [])) ?? [];

it('have at most 25 lines each', () => {
  const lines = readdirSync('docs/examples/agents').map((name) => [
    name,
    readFileSync(`docs/examples/agents/${name}`, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('//') && !line.startsWith('/**')).length,
  ]);
  expect(lines).toHaveLength(5);
  expect(lines.filter(([, count]) => Number(count) > 25)).toEqual([]);
});

it('weather and calendar: the event goes to the user of the run', async () => {
  const added: unknown[] = [];
  const model = scriptedModel([
    calls(['weather', { city: 'Seoul', day: '2026-05-01' }]),
    calls(['add_event', { day: '2026-05-01', title: 'Picnic' }]),
    says('Sunny: the picnic is in your calendar.'),
  ]);
  const agent = planner(model, {
    forecast: async (city) => ({ city, degrees: 21 }),
    add: async (...event) => added.push(event),
  });
  const result = await createRuntime().start(agent, { input: 'A picnic on May 1?', context: { user: 'ada' } }).result;
  expect(result).toMatchObject({ status: 'done', output: { outcome: 'answered' } });
  expect(added).toEqual([['ada', { day: '2026-05-01', title: 'Picnic' }, expect.stringMatching(/./)]]);
  expect(JSON.stringify(model.requests)).not.toContain('ada');
});

it('SQL: it reads, and no statement of the model changes anything', async () => {
  const file = join(newFolder(), 'shop.db');
  const shop = new DatabaseSync(file);
  shop.exec("CREATE TABLE orders (id INTEGER, city TEXT); INSERT INTO orders VALUES (1, 'Seoul'), (2, 'Seoul'), (3, 'Busan')");
  const model = scriptedModel([
    calls(['tables', {}]),
    calls(['query', { sql: 'SELECT city, count(*) AS n FROM orders GROUP BY city ORDER BY n DESC;' }]),
    calls(
      ['query', { sql: 'SELECT 1); DELETE FROM orders; --' }],
      ['query', { sql: "DELETE FROM orders WHERE city = 'Seoul' RETURNING id" }],
    ),
    says('Seoul: 2.'),
  ]);
  const result = await createRuntime().start(analyst(model, file), { input: 'Orders by city?' }).result;
  expect(result).toMatchObject({ status: 'done', output: { answer: 'Seoul: 2.' } });
  expect(toldTo(model)).toEqual([
    expect.stringContaining('CREATE TABLE orders'),
    '[{"city":"Seoul","n":2},{"city":"Busan","n":1}]',
    '[{"1":1}]', // the database runs one statement and ignores the rest
    expect.stringContaining('TOOL_FAILED'),
  ]);
  expect(shop.prepare('SELECT count(*) AS n FROM orders').get()).toEqual({ n: 3 });
  shop.close();
});

it('files: a write waits for approval, and nothing outside the folder is reached', async () => {
  const [folder, other] = [newFolder(), newFolder()];
  writeFileSync(join(folder, 'note.md'), 'old');
  writeFileSync(join(other, 'secret.md'), 'secret');
  symlinkSync(join(other, 'secret.md'), join(folder, 'link.md'));
  const model = scriptedModel([
    calls(['read_file', { name: 'note.md' }], ['read_file', { name: 'link.md' }], ['read_file', { name: '../secret.md' }]),
    calls(['write_file', { name: 'note.md', text: 'new' }]),
    says('Done.'),
  ]);
  const agent = editor(model, folder);
  const runtime = createRuntime({ workflows: [agent] });
  const run = runtime.start(agent, { input: 'Make it new.' });
  const waiting = await run.result;
  if (waiting.status !== 'waiting' || !waiting.interrupt) throw new Error(JSON.stringify(waiting));
  expect(waiting.interrupt.question).toMatchObject({ tool: 'write_file', arguments: { name: 'note.md', text: 'new' } });
  expect(readFileSync(join(folder, 'note.md'), 'utf8')).toBe('old');
  await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: waiting.interrupt.id })).result;
  expect(readFileSync(join(folder, 'note.md'), 'utf8')).toBe('new');
  expect(toldTo(model).map((text) => text.slice(0, 20))).toEqual([
    'old',
    expect.stringContaining('TOOL'),
    expect.stringContaining('TOOL'),
    'note.md',
  ]);
  expect(JSON.stringify(model.requests)).not.toContain('"secret"');
});

it('research: the run ends with a report of the required form, by the strong model after three steps', async () => {
  const site = createServer((request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`page ${request.url}`),
  ).listen(0, '127.0.0.1');
  await new Promise((listening) => site.once('listening', listening));
  onTestFinished(() => void site.close());
  const address = site.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const get = createGuardedFetch({ allowHttp: true, allowedPorts: [Number(new URL(origin).port)], isAllowedAddress: () => true });
  const opened = (path: string) => calls(['open', { url: `${origin}${path}` }]);
  const cheap = scriptedModel([opened('/a'), opened('/b'), opened('/c')]);
  const done = { summary: 'Three pages.', sources: [`${origin}/a`] };
  const strong = scriptedModel([calls(['submit', { summary: '', sources: [] }]), calls(['submit', done])], { name: 'strong' });
  const agent = researcher(cheap, strong, async (url) => (await get(url)).text);
  const result = await createRuntime().start(agent, { input: 'What is there?' }).result;
  expect(result).toMatchObject({ status: 'done', output: { outcome: 'stopped-early', output: done, steps: 4 } });
  expect(toldTo(strong)).toEqual(['page /a', 'page /b', 'page /c', expect.stringContaining('TOOL_CALL_INVALID')]);
});

it('triage: billing refunds once after approval, and tech has no way to the money', async () => {
  const paid: unknown[] = [];
  const model = scriptedModel([
    calls(['transfer_to_billing', { reason: 'money' }]),
    calls(['refund', { order: '8' }]),
    says('Order 8 is refunded.'),
  ]);
  const desk = helpDesk(model, async (order, key) => {
    paid.push([order, key]);
    return 'R-8';
  });
  const runtime = createRuntime({ workflows: [desk] });
  const run = runtime.start(desk, { input: 'Money back for order 8!' });
  const waiting = await run.result;
  if (waiting.status !== 'waiting' || !waiting.interrupt) throw new Error(JSON.stringify(waiting));
  expect(paid).toEqual([]);
  const end = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: waiting.interrupt.id })).result;
  expect(end).toMatchObject({ status: 'done', output: { agent: 'billing', answer: 'Order 8 is refunded.' } });
  expect(paid).toHaveLength(1);
  const explored = exploreMachine(
    helpDesk(model, async () => ''),
    teamExploration(agents),
  );
  const tech = never('tech reaches the refunds', ({ by, isIn }) => by === 'tech_tools' && isIn('billing'));
  expect(
    [...teamInvariants(agents), tech]
      .map((one) => [one.name, one.check(explored as never).verdict])
      .filter(([, verdict]) => verdict !== 'holds'),
  ).toEqual([]);
});
