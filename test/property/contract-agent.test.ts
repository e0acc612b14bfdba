import { createRuntime, type JournalEntry, type Json, type RunEvent, toGraph } from 'agent-machines';
import { type ContractAgentRuleInputs, contractAgent, contractAgentRules } from 'agent-machines/machines/contract-agent';
import { offlineModel } from 'agent-machines/models';
import { crashResume, edgeCoverage } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machine } from '../../machines/contract-agent/machine.ts';
import type { ContractAgentState } from '../../machines/contract-agent/state.ts';
import { share } from '../fixtures/share.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { contract, standard } from '../machines/contract-agent/helpers.ts';
import { tapedMachine } from './taped-machine.ts';

const nodes = [
  'scope_validator',
  'check_previous_context',
  'plan_next_action',
  'execute_tools',
  'execute_tools_parallel',
  'evaluate_sufficiency',
  'generate_response',
  'ask_each_contract',
] as const;
type NodeName = (typeof nodes)[number];

/** The edge table of the workflow, written down a second time and in other words. */
function edgeTable(node: NodeName, after: ContractAgentState, threw: boolean): NodeName | 'done' | 'out_of_scope' | 'stopped' {
  if (threw) return 'stopped';
  const calls = after.nextTools.length;
  switch (node) {
    case 'scope_validator':
      return after.inScope ? 'check_previous_context' : 'out_of_scope';
    case 'check_previous_context':
      return 'plan_next_action';
    case 'plan_next_action':
      if (after.eachQuestion !== null) return 'ask_each_contract';
      if (calls === 0) return after.allToolsSkipped ? 'evaluate_sufficiency' : 'generate_response';
      return calls === 1 || after.nextTools.some(({ parallel }) => !parallel) ? 'execute_tools' : 'execute_tools_parallel';
    case 'execute_tools':
    case 'execute_tools_parallel':
      return 'evaluate_sufficiency';
    case 'evaluate_sufficiency': {
      const last = after.decisionLog[after.decisionLog.length - 1];
      return last !== undefined && last.action === 'continue' ? 'plan_next_action' : 'generate_response';
    }
    case 'generate_response':
    case 'ask_each_contract':
      return 'done';
  }
}

const plannedCall = fc.record({
  id: fc.string(),
  name: fc.constantFrom('a', 'b'),
  args: fc.constant({}),
  signature: fc.string(),
  parallel: fc.boolean(),
});
const decision = fc.record({
  iteration: fc.nat(4),
  action: fc.constantFrom('continue' as const, 'finish' as const),
  by: fc.constantFrom('model' as const, 'limit' as const, 'unreadable' as const),
  reasoning: fc.string(),
  missingInfo: fc.option(fc.string()),
});
const ref = fc.record({
  side: fc.constantFrom('user' as const, 'standard' as const),
  id: fc.constantFrom('x', 'y', 'z'),
  label: fc.string(),
  title: fc.string(),
});
/** What a node may come back with: a change of any shape that fits the state, or a throw. */
const outcome = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        inScope: fc.boolean(),
        needPreviousContext: fc.option(fc.boolean()),
        nextTools: fc.array(plannedCall, { maxLength: 3 }),
        allToolsSkipped: fc.boolean(),
        eachQuestion: fc.option(fc.string(), { freq: 2 }),
        exploredArticles: fc.array(ref, { maxLength: 3 }),
        unexploredArticles: fc.array(ref, { maxLength: 3 }),
        iterationCount: fc.nat(5),
        missingInfo: fc.option(fc.string()),
        decisionLog: fc.array(decision, { maxLength: 2 }),
        finalResponse: fc.option(fc.string()),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constant('throw' as const) },
);
/** Mostly a first outcome that gets past the scope. */
const tapes = fc
  .tuple(
    fc.constantFrom<unknown>({ inScope: true }, { inScope: true }, { inScope: true }, {}, 'throw'),
    fc.array(outcome, { maxLength: 12 }),
  )
  .map(([first, rest]) => [first, ...rest]);

const inParallel = ['c1', 'c2'].map((id) => ({ id, name: 'a', args: {}, signature: id, parallel: true }));
/** Takes the edge that chance takes once in 400 runs. */
const failedTogether = [{ inScope: true }, {}, { nextTools: inParallel }, 'throw'];
const failedEach = [{ inScope: true }, {}, { eachQuestion: 'q' }, 'throw'];

const input = { contractId: 'c', input: '질문', previousTurn: [], previousSources: [], currentDatetime: '', maxIterations: 4 };

const taped = tapedMachine<NodeName, ContractAgentState>({ machine, nodes, input });

describe('the machine of contract-agent', () => {
  it('follows the edge table for results of any shape, and covers every edge', async () => {
    const coverage = edgeCoverage(toGraph(machine));
    await fc.assert(
      fc.asyncProperty(tapes, async (tape) => {
        const { workflow, seen } = taped.workflow(tape);
        const runtime = createRuntime({ limits: { nodeVisits: 30 } });
        const run = runtime.start(workflow, input);
        await run.result;
        const events = (await runtime.history(run.id)).flatMap((entry) => entry.events);
        coverage.add(events);
        const edges = events.filter((event): event is Extract<RunEvent, { type: 'edge' }> => event.type === 'edge');
        expect(edges.length).toBeGreaterThan(0);
        edges.forEach(({ from, to }, index) => {
          const threw = (tape[index] ?? {}) === 'throw';
          const after = seen[index + 1]?.state ?? fold(seen[index]?.state, threw ? {} : ((tape[index] ?? {}) as object));
          expect(to).toBe(edgeTable(from as NodeName, after, threw));
        });
      }),
      { numRuns: share(1_500, 300), examples: [[failedTogether], [failedEach]] },
    );
    expect(coverage.missing()).toEqual([]);
  });

  it('runs on its table, on XState and live under createActor with the same path and the same state', async () => {
    await fc.assert(
      fc.asyncProperty(tapes, (tape) => taped.expectSameOnEveryEngine(tape)),
      { numRuns: share(300) },
    );
  });
});

const fold = (state: ContractAgentState | undefined, patch: object): ContractAgentState => {
  const { decisionLog = [], ...rest } = patch as Partial<ContractAgentState>;
  if (!state) throw new Error('no state');
  return { ...state, ...rest, decisionLog: [...state.decisionLog, ...decisionLog] };
};

// --- the real nodes, with a model that says anything ---

const label = fc.constantFrom('1', '3', '5', '6', '10', '10의2', '99');
const knownCall = fc.oneof(
  fc.tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([article_numbers, turned]) => ({
    name: 'get_article_by_index',
    arguments: (turned ? { exhibit_numbers: [], article_numbers } : { article_numbers, exhibit_numbers: [] }) as Json,
  })),
  fc
    .constantFrom('대금', '비밀유지', '없는 제목')
    .map((title) => ({ name: 'get_article_by_title', arguments: { titles: [title] } as Json })),
  fc
    .constantFrom('지체상금', '해지', '손해')
    .map((query) => ({ name: 'hybrid_search', arguments: { topics: [{ topic_name: query, queries: [query] }] } as Json })),
  label.map((number) => ({ name: 'lookup_standard_contract', arguments: { user_article_numbers: [number], topic: '' } as Json })),
);
const wrongCall = fc.constantFrom<{ name: string; arguments: Json }>(
  { name: 'send_email', arguments: { to: 'x' } },
  { name: 'Hybrid_Search', arguments: {} },
  { name: 'get_article_by_index', arguments: { article_numbers: 5 } },
  { name: 'get_article_by_index', arguments: 'not json' },
  { name: 'get_article_by_title', arguments: { titles: ['대금'], contract_id: 'other' } },
);
const planReply: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(fc.oneof({ weight: 5, arbitrary: knownCall }, { weight: 1, arbitrary: wrongCall }), { minLength: 1, maxLength: 4 })
      .map((toolCalls) => ({ toolCalls }) as unknown as Json),
  },
  { weight: 1, arbitrary: fc.constant('nothing to look up') },
);
const evaluation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ is_sufficient: fc.boolean(), reasoning: fc.constant(''), missing_info: fc.option(fc.constantFrom('a', 'b')) }),
  },
  { weight: 1, arbitrary: fc.constant('enough') },
) as fc.Arbitrary<Json>;
const world = fc.record({
  question: fc.constantFrom('제5조 내용이 뭐야?', '대금은?', '상대가 망하면?', '고마워'),
  scope: fc.constantFrom<Json>({ in_scope: true, references_previous_context: false, reason: '' }, { in_scope: false }, 'yes'),
  plans: fc.array(planReply, { minLength: 4, maxLength: 4 }),
  evaluations: fc.array(evaluation, { minLength: 4, maxLength: 4 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** What the model says at the moment, and what it was asked. */
let current: Omit<World, 'question'> = { scope: null, plans: [], evaluations: [] };
let asked: string[] = [];

/** The workflow in a world. The model answers by what it is asked, so that a restart meets the same world. */
function inWorld(world: Omit<World, 'question'>) {
  current = world;
  asked = [];
  return { workflow, asked };
}

/** One for all worlds: making it opens and indexes the contracts. */
const workflow = (() => {
  const note = (task: string, reply: Json): Json => {
    asked.push(task);
    return reply;
  };
  const model = offlineModel<ContractAgentRuleInputs>({
    ...contractAgentRules,
    'contract_agent.scope_validator': ({ task }) => note(task, current.scope),
    'contract_agent.plan_next_action': ({ task, ruleInput }) => note(task, current.plans[ruleInput.iterationCount] ?? 'nothing'),
    'contract_agent.evaluate_sufficiency': ({ task, ruleInput }) => note(task, current.evaluations[ruleInput.iterationCount] ?? 'nothing'),
    'contract_agent.generate_response': ({ task }) => note(task, '제5조와 제10조의2'),
  });
  return contractAgent({ contracts: [{ contract, standard }], model, enableCache: false });
})();

const nodeEntries = (entries: readonly JournalEntry[]): readonly JournalEntry[] => entries.filter(({ kind }) => kind === 'node');

describe('contract-agent with arbitrary model answers', () => {
  it('makes each offered call at most once, records it, and ends within its iterations', async () => {
    const ends: Record<string, number> = { done: 0, out_of_scope: 0, parallel: 0, skipped: 0, repeated: 0, limit: 0 };
    const count = (name: string): void => {
      ends[name] = (ends[name] ?? 0) + 1;
    };
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { workflow, asked } = inWorld(any);
        const runtime = createRuntime();
        const run = runtime.start(workflow, { input: any.question });
        const result = await run.result;
        if (!('finalState' in result)) throw new Error(JSON.stringify(result));
        count(result.finalState);
        const { toolHistory, decisionLog } = result.output;
        const made = toolHistory.filter(({ status }) => status !== 'skipped');
        expect(new Set(made.map(({ signature }) => signature)).size).toBe(made.length);
        const offered = ['hybrid_search', 'get_article_by_index', 'get_article_by_title', 'lookup_standard_contract'];
        expect(made.filter(({ tool }) => !offered.includes(tool))).toEqual([]);
        expect(decisionLog.length).toBeLessThanOrEqual(4);
        expect(decisionLog.map(({ iteration }) => iteration)).toEqual(decisionLog.map((_, index) => index + 1));
        const plans = asked.filter((task) => task.endsWith('plan_next_action')).length;
        const written = any.plans.slice(0, plans).flatMap((plan) => (plan as { toolCalls?: readonly Json[] }).toolCalls ?? []);
        expect(toolHistory.length).toBe(written.length); // each call that was asked for is on record
        const path = nodeEntries(await runtime.history(run.id)).map(({ key }) => key.split('#')[0]);
        if (path.includes('execute_tools_parallel')) count('parallel');
        if (toolHistory.some(({ status }) => status === 'skipped')) count('skipped');
        if (toolHistory.some(({ reason }) => reason === 'it has been made before')) count('repeated');
        if (decisionLog.some(({ by }) => by === 'limit')) count('limit');
      }),
      { numRuns: share(600) },
    );
    expect(Math.min(...Object.values(ends))).toBeGreaterThan(share(10));
  });

  it('keeps results in the order of the calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(label, { minLength: 2, maxLength: 6 }), async (numbers) => {
        const toolCalls = numbers.map((number) => ({
          name: 'get_article_by_index',
          arguments: { article_numbers: [number], exhibit_numbers: [] },
        }));
        const { workflow } = inWorld({
          scope: null,
          plans: [{ toolCalls } as unknown as Json],
          evaluations: [{ is_sufficient: true, reasoning: '', missing_info: null }],
        });
        const result = await createRuntime().start(workflow, { input: '대금은?' }).result;
        if (!('finalState' in result)) throw new Error('not done');
        expect(result.output.toolHistory.map(({ args }) => (args as { article_numbers: string[] }).article_numbers[0])).toEqual(numbers);
      }),
      { numRuns: share(100) },
    );
  });

  it('ends like an uninterrupted run after a crash before any journal entry', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const report = await crashResume(() => inWorld(any).workflow, { input: any.question }, { compare: (end) => withoutTimes(end) });
        crashes += report.crashes;
      }),
      { numRuns: share(40) },
    );
    expect(crashes).toBeGreaterThan(share(100));
  });
});
