// Two servers on one SQLite file: a question of a run that one of them drives is answered through either.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentClient, ApiFailure, createClient } from 'agent-machines/client';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Command, sourceCommand } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });
const root = fileURLToPath(new URL('../../', import.meta.url));

/** One region works until a file is there, and counts its work; the other one asks. */
const app = `
import { appendFileSync, existsSync } from 'node:fs';
import { final, logWorkflow, node, waiting } from './log-workflow.ts';

const work = async (_state, io) => {
  appendFileSync('./begun', 'x');
  while (!existsSync('./gate')) await new Promise((resolve) => setTimeout(resolve, 10));
  return { log: [await io.step('once', async () => { appendFileSync('./paid', 'x'); return 'paid'; }, { effect: 'once' })] };
};

export default {
  workflows: [
    logWorkflow({
      id: 'both',
      initial: 'both',
      states: {
        both: {
          type: 'parallel',
          states: {
            left: { initial: 'work', states: { work: node('work', 'end', 'end'), end: final } },
            right: { initial: 'ask', states: { ask: waiting({ SAY: 'end' }), end: final } },
          },
          onDone: 'done',
        },
        done: final,
      },
      nodes: { work },
    }),
  ],
};
`;

interface Server {
  readonly process: Command;
  readonly client: AgentClient;
}

const started: Command[] = [];
/** The same for every test, for starting one takes longer than a test. */
let servers: readonly [Server, Server];
let cwd = '';

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'agent-machines-servers-'));
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules/agent-machines'), 'dir');
  symlinkSync(join(root, 'node_modules/xstate'), join(cwd, 'node_modules/xstate'), 'dir');
  copyFileSync(new URL('../fixtures/log-workflow.ts', import.meta.url), join(cwd, 'log-workflow.ts'));
  writeFileSync(join(cwd, 'app.ts'), app);
  const serve = async (): Promise<Server> => {
    const process = sourceCommand(cwd, ['serve', '--app', './app.ts', '--json', '--db', 'runs.db', '--port', '0']);
    started.push(process);
    await process.sees('"url":"http://127.0.0.1:');
    const { url, token } = JSON.parse(await process.firstLine()) as { url: string; token: string };
    return { process, client: createClient({ baseUrl: url, token }) };
  };
  servers = [await serve(), await serve()];
});
beforeEach(() => rmSync(join(cwd, 'gate'), { force: true }));
afterAll(async () => {
  for (const process of started) {
    process.kill('SIGKILL');
    await process;
  }
  rmSync(cwd, { recursive: true, force: true });
});

/** Starts a run, and waits until it has asked while it works. */
async function begin({ client }: Server): Promise<{ readonly id: string; readonly interruptId: string }> {
  const { id } = await client.startRun({ body: { workflow: 'both', input: {} } });
  for await (const event of client.events(id)) if (event.type === 'interrupt') return { id, interruptId: event.interrupt.id };
  throw new Error('It has not asked.');
}

const say = ({ client }: Server, { id, interruptId }: { id: string; interruptId: string }, text: string): Promise<unknown> =>
  client.send({ params: { id }, body: { interruptId, event: { type: 'SAY', text } } }).then(
    () => 'taken',
    (cause: unknown) => (cause instanceof ApiFailure ? cause.code : cause),
  );

async function endOf({ client }: Server, id: string): Promise<unknown> {
  for await (const _ of client.events(id, { follow: true }));
  const { status, output } = await client.getRun({ params: { id } });
  return { status, output };
}

it.each([0, 1] as const)('accepts an answer through server %i of a run that the first one drives', async (through) => {
  const [one, other] = servers;
  const asked = await begin(one);
  const said = say(servers[through], asked, 'yes');
  if (through === 0) expect(await said).toBe('taken'); // whoever drives it can be told at once
  writeFileSync(join(cwd, 'gate'), '');
  expect(await said).toBe('taken');
  expect([
    ['yes,paid', 'paid,yes'].includes(String(((await endOf(other, asked.id)) as { output: unknown }).output)),
    await say(other, asked, 'yes'),
    await say(one, asked, 'no'),
  ]).toEqual([true, 'taken', 'INTERRUPT_ANSWERED']);
});

it('accepts one of two answers that reach both servers at once', async () => {
  const [one, other] = servers;
  const asked = await begin(one);
  const both = Promise.all([say(one, asked, 'yes'), say(other, asked, 'no')]);
  writeFileSync(join(cwd, 'gate'), '');
  expect([...(await both)].sort()).toEqual(['INTERRUPT_ANSWERED', 'taken']);
  expect(await endOf(one, asked.id)).toEqual(await endOf(other, asked.id));
});

// the last one, for it takes a server away
it('accepts an answer for a run whose server is killed while the other one waits for it', async () => {
  const [one, other] = servers;
  const asked = await begin(one);
  const said = say(other, asked, 'yes');
  const looked = vi.waitFor(async () => expect((await other.client.getRun({ params: { id: asked.id } })).status).toBe('running'));
  await looked;
  one.process.kill('SIGKILL');
  await one.process;
  writeFileSync(join(cwd, 'gate'), '');
  expect(await said).toBe('taken');
  expect(await endOf(other, asked.id)).toMatchObject({ status: 'done' });
  const { entries } = await other.client.getJournal({ params: { id: asked.id }, query: {} });
  expect(entries.filter(({ kind }) => kind === 'event').length).toBe(1);
  expect(entries.filter(({ kind, key }) => kind === 'step' && key.endsWith('/once')).length).toBe(1);
});
