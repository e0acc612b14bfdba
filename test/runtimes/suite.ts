// What is checked in every runtime, with nothing but the package: plain functions, no test framework, nothing that only one of them has.
import {
  append,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  type HumanEvent,
  memoryStore,
  type NodeHandler,
  node,
  parallelNodes,
  type Run,
  type RunResult,
  type Tool,
  type Workflow,
  waiting,
} from 'agent-machines';
import { createArticleIndex, parseContract } from 'agent-machines/contracts';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { recall } from 'agent-machines/memory';
import { crashingStore } from 'agent-machines/testing';
import { executePlan, PlanRejectedError, parsePlan } from 'agent-machines/tools';

/** What a runtime says of itself and of each check. */
export interface Report {
  /** Whether it makes code from strings. */
  readonly makesCode: boolean;
  readonly checks: readonly { readonly name: string; readonly failure?: string }[];
}

interface ArticleState {
  readonly topic: string;
  readonly notes: readonly string[];
  readonly text: string;
}
type ArticleEvent = { readonly type: 'APPROVE' } | { readonly type: 'REVISE'; readonly remark: string };
type ArticleNode = 'ask' | 'web' | 'archive' | 'write' | 'proof' | 'publish';
type Article = Workflow<{ readonly topic: string }, ArticleState, string>;

const state = defineState<ArticleState, { readonly topic: string }, string, ArticleEvent>({
  reducers: { notes: append },
  events: {
    APPROVE: { parse: () => ({ type: 'APPROVE' }) },
    REVISE: {
      parse(event) {
        const { remark } = event as { readonly remark?: unknown };
        if (typeof remark !== 'string') throw new TypeError('remark is no text');
        return { type: 'REVISE', remark };
      },
      patch: (_article, { remark }) => ({ notes: [remark] }),
    },
  },
});

/** Six nodes, two of them at the same time; then a human, then a delay. */
const machine = defineMachine(state, {
  id: 'article',
  version: '1',
  initial: 'ask',
  context: ({ topic }) => ({ topic, notes: [], text: '' }),
  output: ({ text }) => text,
  states: {
    ask: node('ask', { done: 'research', error: 'failed' }),
    research: parallelNodes(['web', 'archive'], { done: 'write', error: '#article.failed' }),
    write: node('write', { done: 'review', error: 'failed' }),
    review: waiting({ APPROVE: 'embargo', REVISE: 'write' }),
    embargo: { after: { 1: { target: 'proof', actions: 'merge' } } },
    proof: node('proof', { done: 'publish', error: 'failed' }),
    publish: node('publish', { done: 'published', error: 'failed' }),
    published: final(),
    failed: final('failure'),
  },
});

const plainNodes: Readonly<Record<ArticleNode, NodeHandler<ArticleState>>> = {
  ask: async ({ topic }) => ({ topic: topic.trim() }),
  web: async ({ topic }) => ({ notes: [`${topic} hold hands`] }),
  archive: async ({ topic }) => ({ notes: [`${topic} use tools`] }),
  write: async ({ notes }) => ({ text: notes.toSorted().join(', ') }),
  proof: async ({ text }) => ({ text: `${text}.` }),
  publish: async (_article, io) => {
    io.emit({ type: 'token', text: 'published' });
    return {};
  },
};

const article = (nodes: Partial<typeof plainNodes> = {}): Article => defineWorkflow({ machine, nodes: { ...plainNodes, ...nodes } });

function assertEqual(actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`It is ${is}, not ${should}.`);
}

type AnyRuntime = ReturnType<typeof createRuntime>;

/** Answers what a run asks, and gives what becomes of it. */
async function answer(runtime: AnyRuntime, run: Run<unknown>, event: HumanEvent): Promise<RunResult<unknown>> {
  const paused = await run.result;
  if (paused.status !== 'waiting' || !paused.interrupt) throw new Error(`It does not ask: ${JSON.stringify(paused)}`);
  return (await runtime.send(run.id, event, { interruptId: paused.interrupt.id })).result;
}

/** Answers until the run has ended, over its delay. */
async function published(runtime: AnyRuntime, run: Run<unknown>): Promise<RunResult<unknown>> {
  let result = await answer(runtime, run, { type: 'APPROVE' });
  while (result.status === 'waiting') result = await (await runtime.resume(run.id)).result;
  return result;
}

const text = 'otters hold hands, otters use tools.';

async function sixNodes(): Promise<void> {
  const runtime = createRuntime();
  const run = runtime.start(article(), { topic: ' otters ' });
  assertEqual(await published(runtime, run), { status: 'done', finalState: 'published', output: text });
  const nodes: string[] = [];
  for await (const event of runtime.events(run.id)) if (event.type === 'node-end') nodes.push(event.key);
  assertEqual(nodes.toSorted(), ['ask#1', 'proof#1', 'publish#1', 'research.archive.run#1', 'research.web.run#1', 'write#1']);
  await runtime.close();
}

/** Each of the two waits for the other. */
async function parallelRegion(): Promise<void> {
  const [web, archive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runtime = createRuntime();
  const run = runtime.start(
    article({
      web: async () => {
        web.resolve();
        await archive.promise;
        return { notes: ['b'] };
      },
      archive: async () => {
        archive.resolve();
        await web.promise;
        return { notes: ['a'] };
      },
    }),
    { topic: 'otters' },
  );
  assertEqual(await published(runtime, run), { status: 'done', finalState: 'published', output: 'a, b.' });
  await runtime.close();
}

async function wait(): Promise<void> {
  const runtime = createRuntime();
  const run = runtime.start(article(), { topic: 'otters' });
  const first = await run.result;
  if (first.status !== 'waiting' || !first.interrupt) throw new Error('It does not ask.');
  assertEqual(first.interrupt.accepts.toSorted(), ['APPROVE', 'REVISE']);
  const second = await answer(runtime, run, { type: 'REVISE', remark: 'and float' });
  if (second.status !== 'waiting' || !second.interrupt) throw new Error('It does not ask again.');
  const late = await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: first.interrupt.id }).then(
    () => 'taken',
    (error: unknown) => Object(error).code as string,
  );
  assertEqual(late, 'INTERRUPT_ANSWERED');
  await runtime.close();
}

/** Nobody waits for the delay but the runtime's own timer. */
async function delay(): Promise<void> {
  const runtime = createRuntime();
  const run = runtime.start(article(), { topic: 'otters' });
  assertEqual((await published(runtime, run)).status, 'done');
  const kinds = (await runtime.history(run.id)).map(({ kind }) => kind);
  assertEqual(kinds.includes('timer'), true);
  await runtime.close();
}

async function cancel(): Promise<void> {
  const runtime = createRuntime();
  const begun = Promise.withResolvers<void>();
  let isAborted = false;
  const write: NodeHandler<ArticleState> = (_article, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
        reject(signal.reason);
      });
      begun.resolve();
    });
  const run = runtime.start(article({ write }), { topic: 'otters' });
  await begun.promise;
  await runtime.cancel(run.id);
  assertEqual([(await run.result).status, isAborted], ['cancelled', true]);
  await runtime.close();
}

/** Dies before each write once; what had been committed is not done again. */
async function crashAndResume(): Promise<void> {
  for (let at = 1; ; at++) {
    const store = memoryStore();
    const made: string[] = [];
    const counted = Object.fromEntries(
      Object.entries(plainNodes).map(([name, handler]) => [
        name,
        ((state, io) =>
          io.step('work', async () => {
            made.push(name);
            return (await handler(state, io)) as never;
          })) satisfies NodeHandler<ArticleState>,
      ]),
    );
    const workflow = article(counted);
    const dying = crashingStore(store, at);
    const first = createRuntime({ store: dying, workflows: [workflow] });
    const run = first.start(workflow, { topic: 'otters' }, { runId: `crash-${at}` });
    const paused = await run.result;
    if (paused.status === 'waiting' && !dying.crashed) {
      if (at < 5) throw new Error(`It asks after ${at} writes.`);
      assertEqual(made.toSorted(), ['archive', 'ask', 'web', 'write']);
      return void (await first.close());
    }
    const second = createRuntime({ store, workflows: [workflow] });
    const again = await second.resume(run.id, { force: true });
    assertEqual(await published(second, again), { status: 'done', finalState: 'published', output: text });
    for (const name of Object.keys(plainNodes)) {
      const times = made.filter((one) => one === name).length;
      // one call may have been at work when the process died, or two of the parallel region
      if (times < 1 || times > 2) throw new Error(`${name} was made ${times} times after a crash before write ${at}.`);
    }
    if (made.length > Object.keys(plainNodes).length + 2) throw new Error(`A crash before write ${at} repeated ${made.join(', ')}.`);
    await second.close();
  }
}

const tools: readonly Tool[] = [
  {
    name: 'shout',
    description: 'Repeats a text in capitals.',
    effect: 'pure',
    capabilities: { private: false, untrusted: false, external: false },
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', pattern: '^[a-z ]+$', maxLength: 50 }, times: { type: 'integer', minimum: 1 } },
      required: ['text'],
    },
    execute: async (args) => String(Object(args).text).toUpperCase(),
  },
  {
    name: 'fail',
    description: 'Fails.',
    effect: 'pure',
    capabilities: { private: false, untrusted: false, external: false },
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    execute: async () => {
      throw new Error('as always');
    },
  },
];

const plan = (...steps: readonly object[]): string => JSON.stringify({ steps });

async function planGate(): Promise<void> {
  assertEqual(parsePlan(plan({ step_id: 1, tool: 'shout', input: { text: 'otters' } }), { tools }).steps.length, 1);
  const refused: readonly (readonly [object, string])[] = [
    [{ step_id: 1, tool: 'whisper', input: { text: 'otters' } }, '/steps/0/tool'],
    [{ step_id: 1, tool: 'shout', input: { text: 'otters', undeclared: 1 } }, '/steps/0/input/undeclared'],
    [{ step_id: 1, tool: 'shout', input: { text: 'OTTERS' } }, '/steps/0/input/text'],
    [{ step_id: 1, tool: 'shout', input: { text: 'otters', times: 1.5 } }, '/steps/0/input/times'],
    [{ step_id: 1, tool: 'shout', input: {} }, '/steps/0/input'],
    [{ step_id: 1, tool: 'shout', input_from: 'step_2' }, '/steps/0/input_from'],
  ];
  for (const [step, path] of refused) {
    try {
      parsePlan(plan(step), { tools });
    } catch (error) {
      if (!(error instanceof PlanRejectedError)) throw error;
      assertEqual(
        error.issues.map((issue) => issue.path),
        [path],
      );
      continue;
    }
    throw new Error(`The gate let ${JSON.stringify(step)} through.`);
  }
}

async function executor(): Promise<void> {
  const validated = parsePlan(
    plan(
      { step_id: 1, tool: 'shout', input: { text: 'otters' } },
      { step_id: 2, tool: 'fail', input: {} },
      { step_id: 3, tool: 'shout', input: { text: 'otters' } },
      { step_id: 4, tool: 'fail', input_from: { text: 'step_1' } },
    ),
    { tools },
  );
  const { results } = await executePlan(validated, { tools });
  assertEqual(
    results.map((past) => [past.status, past.status === 'success' ? past.output : null, past.deduplicated]),
    [
      ['success', 'OTTERS', false],
      ['failure', null, false],
      ['success', 'OTTERS', true],
      ['failure', null, false],
    ],
  );
}

async function wholeMachine(): Promise<void> {
  const runtime = createRuntime();
  const result = await runtime.start(planExecute(), { input: '123 * 456 계산해줘' }).result;
  assertEqual(result.status === 'done' && result.output.answer, '123 * 456 = 56088');
  await runtime.close();
}

/** Tables are JSON modules. */
async function tables(): Promise<void> {
  const text = '제1조(대금) 대금은 매월 지급한다.\n\n제2조(준거법) 이 계약은 대한민국 법에 따른다.';
  const index = await createArticleIndex([parseContract({ name: 'lease', text })]);
  const [best] = await index.search('돈은 언제 줘?', { limit: 1 });
  assertEqual(best?.article.title, '대금');
  const transcript = [{ id: '1', role: 'user', text: 'I have a puppy.', at: 0 }] as const;
  assertEqual(recall({ query: '강아지', transcript, maxTokens: 100 }).messageIds, ['1']);
}

const checks: readonly (readonly [name: string, check: () => Promise<void>])[] = [
  ['six nodes', sixNodes],
  ['parallel', parallelRegion],
  ['wait', wait],
  ['delay', delay],
  ['cancel', cancel],
  ['crash', crashAndResume],
  ['plan gate', planGate],
  ['executor', executor],
  ['plan-execute', wholeMachine],
  ['tables', tables],
];

function makesCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/** Runs all checks, one after the other. */
export async function report(): Promise<Report> {
  const done: { readonly name: string; readonly failure?: string }[] = [];
  for (const [name, check] of checks) {
    try {
      await check();
      done.push({ name });
    } catch (error) {
      done.push({ name, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  return { makesCode: makesCode(), checks: done };
}
