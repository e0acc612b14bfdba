// Writes the replay corpus of this version of the package: `npm run corpus`. A version that has one keeps it for good.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRuntime, type HumanEvent, type Json, memoryStore, type RunResult, type RunStore } from 'agent-machines';
import { entries } from 'agent-machines/machines';
import { crashingStore, fakeClock } from 'agent-machines/testing';
import pkg from '../package.json' with { type: 'json' };
import { type CorpusRun, endOf } from '../test/corpus/corpus-run.ts';
import { corpusWorkflows } from '../test/corpus/workflows.ts';

/** A run to be stored: how it is begun, where it is left, and how it ends. */
interface Scenario {
  readonly workflow: string;
  readonly input?: Json;
  /** What is said before it is stored, and after. */
  readonly before?: readonly HumanEvent[];
  readonly after?: readonly HumanEvent[];
  /** The process dies before this write, counted from 0. */
  readonly diesAt?: number;
  /** Runs of the thread before it, each with what is said to it. */
  readonly turns?: readonly HumanEvent[];
  readonly limits?: { readonly nodeVisits: number };
}

const say = (text: string): HumanEvent => ({ type: 'SAY', text });
const go: HumanEvent = { type: 'GO' };

const written: Readonly<Record<string, Scenario>> = {
  waits: { workflow: 'review', after: [go, say('yes')] },
  'waits-again': { workflow: 'review', before: [go, go], after: [say('yes')] },
  'has-ended': { workflow: 'review', before: [say('yes')] },
  'died-after-an-answer': { workflow: 'review', before: [say('yes')], diesAt: 6 },
  'died-before-its-first-node': { workflow: 'chain', diesAt: 1 },
  'died-between-two-steps': { workflow: 'chain', diesAt: 3 },
  'died-before-its-end': { workflow: 'chain', diesAt: 6 },
  'reached-a-limit': { workflow: 'chain', limits: { nodeVisits: 2 } },
  'waits-in-two-regions': { workflow: 'regions', after: [{ type: 'STOP' }, go] },
  'waits-in-one-of-two-regions': { workflow: 'regions', before: [go], after: [{ type: 'STOP' }] },
  'died-in-two-regions': { workflow: 'beside', diesAt: 2 },
  'waits-in-a-state-of-states': { workflow: 'nested', after: [go] },
  'died-in-a-state-of-states': { workflow: 'nested', diesAt: 1, after: [go] },
  'is-in-doubt': { workflow: 'pays', diesAt: 2 },
  'has-paid': { workflow: 'pays', diesAt: 3 },
  sleeps: { workflow: 'sleeps' },
  expires: { workflow: 'expires' },
  'is-answered-in-time': { workflow: 'expires', after: [go] },
  'waits-in-a-called-workflow': { workflow: 'calls', after: [say('yes')] },
  'waits-in-a-thread': { workflow: 'remembers', turns: [say('one'), say('two')], after: [say('three')] },
  'died-in-a-thread': { workflow: 'remembers', turns: [say('one')], diesAt: 2, after: [say('two')] },
  'plan-execute-has-ended': { workflow: 'plan-execute', input: { input: '3 * 4 + 2' } },
  'plan-execute-died': { workflow: 'plan-execute', input: { input: '3 * 4 + 2' }, diesAt: 3 },
  'tool-agent-waits': { workflow: 'tool-agent', input: { input: 'pay' }, after: [{ type: 'APPROVE' }] },
  'chat-agent-died': { workflow: 'chat-agent', input: { input: '3*4는?' }, diesAt: 3 },
  'contract-agent-has-ended': { workflow: 'contract-agent', input: { input: '대금은 언제 지급하나요?' } },
  'contract-agent-died': { workflow: 'contract-agent', input: { input: '대금은 언제 지급하나요?' }, diesAt: 3 },
  'guide-agent-waits': { workflow: 'guide-agent', input: { input: '유튜브 영상을 만들고 자막을 넣고 싶어' }, after: [{ type: 'APPROVE' }] },
};

const planned = new Set(Object.values(written).map(({ workflow }) => workflow));
const scenarios: typeof written = {
  ...written,
  ...Object.fromEntries(
    entries
      .filter(({ name }) => !planned.has(name))
      .map(({ name, examples: [input = 'Hello'] }) => [`${name}-died`, { workflow: name, input: { input }, diesAt: 1 }]),
  ),
};

const startMs = Date.UTC(2026, 10, 23);

async function record(
  { workflow, input = {}, before = [], after = [], diesAt, turns = [], limits }: Scenario,
  name: string,
): Promise<CorpusRun> {
  const made = corpusWorkflows[workflow];
  if (!made) throw new Error(`The workflow "${workflow}" does not exist.`);
  const kept = memoryStore();
  const clock = fakeClock(startMs);
  const thread = turns.length > 0 ? { threadId: 't_corpus' } : {};
  const runs: CorpusRun['runs'][number][] = [];
  const take = async (runId: string, done: boolean): Promise<void> => {
    const found = await kept.read(runId);
    const state = thread.threadId === undefined ? undefined : (await kept.readThread(thread.threadId))?.state;
    if (found)
      runs.push({ record: found, entries: await kept.journal(runId), ...(done && state !== undefined ? { threadState: state } : {}) });
  };
  for (const [index, turn] of turns.entries()) {
    await play(kept, made(), { runId: `r_turn-${index}`, ...thread }, input, [turn], clock);
    await take(`r_turn-${index}`, true);
  }
  const runId = `r_${name}`;
  const store = diesAt === undefined ? kept : crashingStore(kept, diesAt);
  await play(store, made(), { runId, ...thread, ...(limits ? { limits } : {}) }, input, before, clock);
  await take(runId, false);
  const structures: Record<string, CorpusRun['structures'][string]> = {};
  for (const {
    record: { structure },
  } of runs)
    structures[structure] = (await kept.readStructure(structure)) ?? {};
  const file: CorpusRun = { package: pkg.version, workflow, runs, structures, answers: after, end: { refused: '' } };
  const plain = JSON.parse(JSON.stringify(file)) as CorpusRun;
  return { ...plain, end: await endOf(plain) };
}

async function play(
  store: RunStore,
  workflow: ReturnType<NonNullable<(typeof corpusWorkflows)[string]>>,
  options: { readonly runId: string; readonly threadId?: string },
  input: Json,
  answers: readonly HumanEvent[],
  clock: ReturnType<typeof fakeClock>,
): Promise<void> {
  const runtime = createRuntime({ store, clock, workflows: [workflow] });
  let result: RunResult<unknown> = await runtime.start(workflow.id, input, options).result;
  for (const event of answers) {
    if (result.status !== 'waiting' || !result.interrupt) return;
    const asked = result.interrupts.find(({ accepts }) => accepts.includes(event.type));
    const sent = await runtime.send(options.runId, event, { interruptId: asked?.id ?? '' }).catch(() => undefined);
    if (!sent) return;
    result = await sent.result;
  }
}

const folder = new URL(`../test/corpus/${pkg.version}/`, import.meta.url);
if (existsSync(folder)) throw new Error(`The corpus of ${pkg.version} exists already and stays unchanged.`);
mkdirSync(folder);
for (const [name, scenario] of Object.entries(scenarios)) {
  const file = await record(scenario, name);
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(file)}\n`);
  console.log(`${name}: ${file.runs.at(-1)?.record.status} ${JSON.stringify(file.end).slice(0, 120)}`);
}

const sums: Record<string, string> = {};
for (const path of readdirSync(new URL('../test/corpus/', import.meta.url), { recursive: true, encoding: 'utf8' }).sort()) {
  if (/^\d.*\.json$/.test(path))
    sums[path] = createHash('sha256')
      .update(readFileSync(new URL(`../test/corpus/${path}`, import.meta.url)))
      .digest('hex');
}
writeFileSync(new URL('../test/corpus/sums.json', import.meta.url), `${JSON.stringify(sums, null, 2)}\n`);
