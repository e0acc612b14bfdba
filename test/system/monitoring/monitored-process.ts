// A server or a worker with metrics: `PART FOLDER PORT TOKEN`. Prints its address. A file `gate` in the folder lets held runs end.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyWorkflow, createRuntime, createWorker, WorkflowError, withAttempts } from 'agent-machines';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { createMetrics } from 'agent-machines/metrics';
import { offlineModel, rateLimitedModel } from 'agent-machines/models';
import { createServer, metricsServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { rateLimits } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { failure, final, logWorkflow, node, waiting } from '../../fixtures/log-workflow.ts';
import { echo, textTool } from '../../fixtures/text-tools.ts';

const [part = '', folder = '', port = '', token = ''] = process.argv.slice(2);

const prices = { 'gpt-5-mini': { inputPerMillion: 0.25, cachedInputPerMillion: 0.025, outputPerMillion: 2 } };
const metrics = createMetrics({ prices, tallyMs: 0 });
const store = metrics.store(sqliteStore({ path: join(folder, 'agents.db') }));
const limits = metrics.limits(rateLimits(store));

const rules = offlineModel<ToolAgentRuleInputs>({
  'tool_agent.agent': ({ messages }) => {
    if (messages.some(({ role }) => role === 'tool')) return 'done';
    return { toolCalls: ['echo', 'flaky', 'broken'].map((name) => ({ name, arguments: { text: name } })) };
  },
});
let calls = 0;
const model = {
  ...rules,
  name: 'gpt-5-mini',
  async generate(...args: Parameters<typeof rules.generate>) {
    if (++calls % 5 === 0) throw new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'busy' });
    const usage = { inputTokens: 1_000, outputTokens: 200, cachedInputTokens: 400, reasoningTokens: 50 };
    return { ...(await rules.generate(...args)), usage };
  },
};
const unreliable = new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: 'busy', retryable: true });
let tries = 0;
const tools = [
  echo(),
  textTool(
    'flaky',
    async () => {
      if (++tries % 2 === 1) throw unreliable;
      return 'ok';
    },
    { maxAttempts: 3 },
  ),
  textTool('broken', () => Promise.reject(new WorkflowError({ code: 'TOOL_FAILED', message: 'no' }))),
];

const only = (id: string, work: Parameters<typeof logWorkflow>[0]['nodes']): AnyWorkflow =>
  logWorkflow({
    id,
    initial: 'work',
    states: { work: node('work', 'end'), end: final, failed: failure },
    nodes: { ...work },
  }) as AnyWorkflow;
let attempts = 0;

const workflows: readonly AnyWorkflow[] = [
  toolAgent({ model: rateLimitedModel(model, { limits, calls: 20, perMs: 500 }), tools }),
  logWorkflow({ id: 'asking', states: { ask: waiting({ SAY: 'end' }), end: final } }) as AnyWorkflow,
  only('failing', { work: () => Promise.reject(new WorkflowError({ code: 'TOOL_FAILED', message: 'no' })) }),
  only('retrying', {
    work: withAttempts(
      async () => {
        if (++attempts % 2 === 1) throw unreliable;
        return { log: ['ok'] as readonly string[] };
      },
      { retry: { firstDelayMs: 1 } },
    ),
  }),
  only('doubtful', {
    work: async (_state, io) => {
      const lost = new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'cut off' });
      await io.step('pay', () => Promise.reject(lost), { effect: 'once' });
      return { log: ['paid'] };
    },
  }),
  only('held', {
    work: async () => {
      while (!existsSync(join(folder, 'gate'))) await new Promise((resolve) => setTimeout(resolve, 20));
      return { log: ['ended'] };
    },
  }),
];

const runtime = createRuntime({ store, workflows: [...workflows] });
const own = { writes: { perMinute: 1e6, burst: 1e6 }, starts: { perMinute: 1e6, burst: 1e6 }, runningRuns: 1_000 };
const listener = await listen({
  port: Number(port),
  server: (hosts) =>
    part === 'server'
      ? createServer({ tokens: token, metricsToken: `${token}-metrics`, metrics, hosts, runtime, store, workflows, limits: own })
      : metricsServer({ metrics, token: `${token}-metrics` }),
});
if (part === 'worker') createWorker({ runtime, metrics, pollMs: 50 });
process.stdout.write(`${listener.url}\n`);
