// Metrics of a process: what counts, that it counts once, and that no name can blow them up.
import {
  type AnyWorkflow,
  createRuntime,
  createWorker,
  memoryStore,
  type RateLimits,
  type RunStore,
  WorkflowError,
  withAttempts,
} from 'agent-machines';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { createMetrics, type Metrics, type MetricsOptions } from 'agent-machines/metrics';
import { offlineModel, rateLimitedModel } from 'agent-machines/models';
import { fakeClock, runStoreContract } from 'agent-machines/testing';
import { asTool } from 'agent-machines/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { failure as failed, final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { prometheusTypes, prometheusValues } from '../../../fixtures/prometheus-text.ts';
import { recordingMeter } from '../../../fixtures/recording-meter.ts';
import { echo, textTool } from '../../../fixtures/text-tools.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function measured(
  workflows: readonly AnyWorkflow[] = [],
  { store = memoryStore(), ...options }: MetricsOptions & { store?: RunStore } = {},
) {
  const metrics = createMetrics({ tallyMs: 0, ...options });
  const runtime = createRuntime({ store: metrics.store(store), workflows });
  opened.push(metrics, runtime);
  return { metrics, runtime };
}

const valuesOf = async (metrics: Metrics) => prometheusValues(await metrics.text());

/** Calls these tools at first, then answers. */
function callingModel(...tools: readonly string[]) {
  const rules = offlineModel<ToolAgentRuleInputs>({
    'tool_agent.agent': ({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return 'done';
      return { toolCalls: tools.map((name) => ({ name, arguments: { [name === 'research' ? 'input' : 'text']: name } })) };
    },
  });
  const usage = { inputTokens: 1_000, outputTokens: 200, cachedInputTokens: 400, reasoningTokens: 50 };
  return {
    ...rules,
    name: 'gpt-5-mini',
    generate: async (...args: Parameters<typeof rules.generate>) => ({
      ...(await rules.generate(...args)),
      usage,
      model: 'gpt-5-mini-2025',
    }),
  };
}

const ending = (status: 'done' | 'failed') =>
  logWorkflow({ id: status, states: { work: node('work', 'end'), end: final, failed }, nodes: { work: async () => ({ log: ['x'] }) } });

describe('createMetrics', () => {
  it('counts a run with its nodes, model calls, tokens, cost and tools', async () => {
    const workflow = toolAgent({ model: callingModel('left', 'right'), tools: [echo('left'), echo('right')] });
    const { metrics, runtime } = measured([workflow], {
      prices: { 'gpt-5-mini': { inputPerMillion: 10, cachedInputPerMillion: 1, outputPerMillion: 100 } },
    });
    await runtime.start(workflow, { input: 'q' }).result;
    const values = await valuesOf(metrics);
    expect(Object.fromEntries(values)).toMatchObject({
      'agent_machines_runs_started_total{workflow="tool_agent"}': 1,
      'agent_machines_runs_ended_total{workflow="tool_agent",status="done",code=""}': 1,
      'agent_machines_run_duration_seconds_count{workflow="tool_agent",status="done"}': 1,
      'agent_machines_run_active_seconds_bucket{workflow="tool_agent",status="done",le="+Inf"}': 1,
      'agent_machines_node_duration_seconds_count{workflow="tool_agent",node="agent"}': 2,
      'agent_machines_node_duration_seconds_count{workflow="tool_agent",node="tools"}': 1,
      'agent_machines_tool_duration_seconds_count{tool="left"}': 1,
      'agent_machines_tool_duration_seconds_count{tool="right"}': 1,
      'agent_machines_model_duration_seconds_count{model="gpt-5-mini"}': 2,
      'agent_machines_model_tokens_total{model="gpt-5-mini",kind="input"}': 2_000,
      'agent_machines_model_tokens_total{model="gpt-5-mini",kind="output"}': 400,
      'agent_machines_model_cached_input_tokens_total{model="gpt-5-mini"}': 800,
      'agent_machines_model_reasoning_tokens_total{model="gpt-5-mini"}': 100,
      'agent_machines_runs{workflow="tool_agent",status="done"}': 1,
      agent_machines_threads: 0,
      agent_machines_store_up: 1,
      agent_machines_workers: 0,
    });
    expect(values.get('agent_machines_model_cost_total{model="gpt-5-mini"}')).toBeCloseTo((2 * (6_000 + 400 + 20_000)) / 1e6, 10);
    expect(values.get('agent_machines_store_duration_seconds_count{operation="append"}')).toBeGreaterThan(2);
    expect(values.get('process_memory_usage_bytes')).toBeGreaterThan(1e6);
  });

  it('counts the nodes of a workflow inside a tool by their states, without the ids of calls', async () => {
    const inner = asTool(toolAgent({ model: callingModel('left'), tools: [echo('left')] }), {
      name: 'research',
      description: 'Finds out.',
    });
    const calls = callingModel('research');
    const workflow = toolAgent({ model: calls, tools: [{ ...inner, execute: inner.execute }] });
    const { metrics, runtime } = measured([workflow]);
    await runtime.start(workflow, { input: 'q' }).result;
    const nodes = [...(await valuesOf(metrics)).keys()].flatMap(
      (name) => /^agent_machines_node_duration_seconds_count.*node="(.*)"}/.exec(name)?.[1] ?? [],
    );
    expect(nodes.sort()).toEqual(['agent', 'tools']);
  });

  it('counts retries and errors by their codes', async () => {
    let tries = 0;
    const busy = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'busy', retryable: true });
    const workflow = logWorkflow({
      states: { work: node('work', 'bad'), bad: node('bad', 'end', 'end'), end: final, failed },
      nodes: {
        work: withAttempts(
          async () => {
            if (tries++ < 2) throw busy;
            return { log: ['ok'] as readonly string[] };
          },
          { retry: { firstDelayMs: 1, attempts: 5 } },
        ),
        bad: async () => {
          throw busy;
        },
      },
    });
    const { metrics, runtime } = measured([workflow as AnyWorkflow]);
    await runtime.start(workflow, {}).result;
    expect(Object.fromEntries(await valuesOf(metrics))).toMatchObject({
      'agent_machines_node_retries_total{workflow="log",node="work",code="MODEL_UNAVAILABLE"}': 2,
      'agent_machines_node_errors_total{workflow="log",node="bad",code="MODEL_UNAVAILABLE"}': 1,
    });
  });

  it('counts failed tools', async () => {
    const broken = textTool('broken', () => Promise.reject(new WorkflowError({ code: 'TOOL_FAILED', message: 'no' })));
    const workflow = toolAgent({ model: callingModel('broken'), tools: [broken] });
    const { metrics, runtime } = measured([workflow]);
    await runtime.start(workflow, { input: 'q' }).result;
    expect((await valuesOf(metrics)).get('agent_machines_tool_errors_total{tool="broken",code="TOOL_FAILED"}')).toBe(1);
  });

  it('counts waits, cancellations and failures of runs, each once, whichever runtime continues them', async () => {
    const store = memoryStore();
    const asking = logWorkflow({ id: 'asking', states: { ask: waiting({ GO: 'end' }), end: final } });
    const failing = logWorkflow({
      id: 'failing',
      states: { work: node('work', 'end'), end: final, failed },
      nodes: { work: () => Promise.reject(new WorkflowError({ code: 'TOOL_FAILED', message: 'no' })) },
    });
    const first = measured([asking, failing] as AnyWorkflow[], { store });
    const run = first.runtime.start(asking, {});
    const cancelled = first.runtime.start(asking, {});
    await Promise.all([run.result, cancelled.result, first.runtime.start(failing, {}).result]);
    await first.runtime.cancel(cancelled.id);
    expect(Object.fromEntries(await valuesOf(first.metrics))).toMatchObject({
      'agent_machines_runs_started_total{workflow="asking"}': 2,
      'agent_machines_runs_suspended_total{workflow="asking",status="waiting"}': 2,
      'agent_machines_runs_ended_total{workflow="asking",status="cancelled",code=""}': 1,
      'agent_machines_runs_ended_total{workflow="failing",status="failed",code="TOOL_FAILED"}': 1,
      'agent_machines_run_duration_seconds_count{workflow="failing",status="failed"}': 1,
    });
    const second = measured([asking] as AnyWorkflow[], { store });
    const waitingRun = await run.result;
    const [{ id: interruptId }] = waitingRun.status === 'waiting' ? waitingRun.interrupts : [{ id: '' }];
    await (await second.runtime.send(run.id, { type: 'GO' }, { interruptId })).result;
    const values = await valuesOf(second.metrics);
    expect(values.get('agent_machines_runs_ended_total{workflow="asking",status="done",code=""}')).toBe(1);
    expect(values.get('agent_machines_runs_started_total{workflow="asking"}')).toBeUndefined();
  });

  it('counts takeovers from a dead owner', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    const workflow = logWorkflow({
      states: { work: node('work', 'end'), end: final, failed },
      nodes: { work: async () => ({ log: ['x'] }) },
    }) as AnyWorkflow;
    const dead = createRuntime({
      store: { ...store, append: () => new Promise<void>(() => {}), renew: () => {} },
      workflows: [workflow],
      clock,
    });
    const run = dead.start(workflow, {} as never);
    await expect.poll(() => store.read(run.id)).toBeDefined();
    const { metrics, runtime } = measured([workflow], { store, clock });
    const lease = { runId: run.id, epoch: 1 };
    await store.renew(lease, { owner: 'dead', leaseMs: 0, now: 0, monotonic: 0 });
    await runtime.resume(run.id).then(({ result }) => result);
    expect((await valuesOf(metrics)).get('agent_machines_takeovers_total{workflow="log"}')).toBe(1);
  });

  it('counts waits for rate limits and refused calls', async () => {
    const waits = [0, 1_500, 700];
    const limits: RateLimits = {
      take: async () => ({ at: 0, waitMs: waits.shift() ?? 90_000, isTaken: waits.length > 0 }),
      giveBack: () => {},
    };
    const metrics = createMetrics();
    opened.push(metrics);
    const wrapped = metrics.limits(limits);
    for (let index = 0; index < 3; index++) await wrapped.take('model x', { calls: 1, perMs: 1 }, 60_000);
    expect(Object.fromEntries(await valuesOf(metrics))).toMatchObject({
      'agent_machines_rate_limit_wait_seconds_count{limit="model x"}': 2,
      'agent_machines_rate_limit_wait_seconds_sum{limit="model x"}': 1.5,
      'agent_machines_rate_limit_wait_seconds_bucket{limit="model x",le="1"}': 1,
      'agent_machines_rate_limit_wait_seconds_bucket{limit="model x",le="2.5"}': 2,
      'agent_machines_rate_limit_refused_total{limit="model x"}': 1,
    });
    expect(
      rateLimitedModel({ name: 'm', generate: async () => ({ text: '' }) as never }, { limits: wrapped, calls: 1, perMs: 1 }).name,
    ).toBe('m');
  });

  it('counts the events of a worker, and the workers until they close', async () => {
    const store = memoryStore();
    const { metrics, runtime } = measured([], { store });
    const worker = createWorker({ runtime, metrics, pollMs: 5, onEvent: () => {} });
    expect((await valuesOf(metrics)).get('agent_machines_workers')).toBe(1);
    const stranger = createRuntime({ store });
    const unknown = logWorkflow({
      id: 'unknown',
      states: { work: node('work', 'end'), end: final, failed },
      nodes: { work: async () => ({}) },
    });
    await stranger.start(unknown, {}, { drive: false } as never).result.catch(() => {});
    await expect.poll(async () => (await valuesOf(metrics)).get('agent_machines_worker_left_total{code="WORKFLOW_UNKNOWN"}')).toBe(1);
    await worker.close();
    expect((await valuesOf(metrics)).get('agent_machines_workers')).toBe(0);
    await stranger.close();
  });

  it('reports a store that fails or does not answer, with all other metrics', async () => {
    const unavailable = new WorkflowError({ code: 'STORE_UNAVAILABLE', message: 'gone', retryable: true });
    const failing = measured([], { store: { ...memoryStore(), tally: () => Promise.reject(unavailable) } });
    expect(Object.fromEntries(await valuesOf(failing.metrics))).toMatchObject({
      agent_machines_store_up: 0,
      'agent_machines_store_errors_total{operation="tally",code="STORE_UNAVAILABLE"}': 1,
      agent_machines_workers: 0,
    });
    const clock = fakeClock();
    const silent = measured([], { store: { ...memoryStore(), tally: () => new Promise(() => {}) }, clock });
    const text = silent.metrics.text();
    await clock.advance(3_000);
    expect(prometheusValues(await text).get('agent_machines_store_up')).toBe(0);
  });

  it('counts a store anew after a few seconds, however often it is read', async () => {
    let tallies = 0;
    const store = memoryStore();
    const clock = fakeClock();
    const { metrics } = measured([], {
      store: {
        ...store,
        tally: () => {
          tallies++;
          return store.tally();
        },
      },
      clock,
      tallyMs: 5_000,
    });
    await Promise.all([metrics.text(), metrics.text()]);
    await clock.advance(4_999);
    await metrics.text();
    expect(tallies).toBe(1);
    await clock.advance(1);
    await metrics.text();
    expect(tallies).toBe(2);
  });

  it('has the age of the oldest run by status, and failed runs by code', async () => {
    const clock = fakeClock(1_000_000);
    const asking = logWorkflow({ id: 'asking', states: { ask: waiting({ GO: 'end' }), end: final } }) as AnyWorkflow;
    const failing = logWorkflow({
      id: 'failing',
      states: { work: node('work', 'end'), end: final, failed },
      nodes: { work: () => Promise.reject(new WorkflowError({ code: 'TOOL_FAILED', message: 'no' })) },
    }) as AnyWorkflow;
    const store = memoryStore();
    const metrics = createMetrics({ tallyMs: 0, clock });
    const runtime = createRuntime({ store: metrics.store(store), workflows: [asking, failing], clock });
    opened.push(metrics, runtime);
    await runtime.start(asking, {} as never).result;
    await clock.advance(60_000);
    await runtime.start(asking, {} as never).result;
    await runtime.start(failing, {} as never).result;
    await clock.advance(30_000);
    const values = await valuesOf(metrics);
    expect(values.get('agent_machines_oldest_run_age_seconds{workflow="asking",status="waiting"}')).toBe(90);
    expect(values.get('agent_machines_failed_runs{workflow="failing",code="TOOL_FAILED"}')).toBe(1);
    expect([...values.keys()].filter((name) => name.startsWith('agent_machines_oldest_run_age_seconds'))).toHaveLength(1);
  });

  it('spends at most a 50th of the time on counts, and keeps them with the age of the oldest run', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    let tallies = 0;
    const slow: RunStore = {
      ...store,
      async tally() {
        tallies++;
        await new Promise<void>((resolve) => clock.schedule(1_000, resolve));
        return { threads: 0, runs: [{ workflow: 'w', state: 'queued', count: 1, oldestAt: clock.now() }] };
      },
    };
    const { metrics } = measured([], { store: slow, clock, tallyMs: 5_000 });
    const texts = [metrics.text(), metrics.text()];
    await clock.advance(1_000);
    await Promise.all(texts);
    await clock.advance(48_000);
    expect((await valuesOf(metrics)).get('agent_machines_oldest_run_age_seconds{workflow="w",status="queued"}')).toBe(48);
    expect(tallies).toBe(1);
    await clock.advance(1_000);
    const text = metrics.text();
    await clock.advance(1_000);
    await text;
    expect(tallies).toBe(2);
  });

  it('sums the counts of several stores until they close', async () => {
    const metrics = createMetrics({ tallyMs: 0 });
    opened.push(metrics);
    const stores = [metrics.store(memoryStore()), metrics.store(memoryStore())];
    const workflow = ending('done');
    for (const store of stores) {
      const runtime = createRuntime({ store, workflows: [workflow] });
      await runtime.start(workflow, {}, { threadId: 't' }).result;
      await runtime.close();
    }
    expect((await valuesOf(metrics)).get('agent_machines_threads')).toBe(0 + 2);
    await stores[0]?.close();
    expect((await valuesOf(metrics)).get('agent_machines_threads')).toBe(1);
  });

  it('wraps a store once', () => {
    const metrics = createMetrics();
    opened.push(metrics);
    const store = metrics.store(memoryStore());
    expect(metrics.store(store)).toBe(store);
  });

  it('limits the series of a metric, and escapes every name', async () => {
    const odd = 'a "quoted"\nname \\ with \0 and \ud800';
    const metrics = createMetrics({ maxSeries: 3 });
    opened.push(metrics);
    const limits = metrics.limits({ take: () => ({ at: 0, waitMs: 1_000, isTaken: true }), giveBack: () => {} });
    for (const name of [odd, 'x'.repeat(10_000), ...Array.from({ length: 1_000 }, (_, index) => `tool ${index}`)])
      await limits.take(name, { calls: 1, perMs: 1 }, 1);
    const text = await metrics.text();
    const counts = [...text.matchAll(/^agent_machines_rate_limit_wait_seconds_count\{limit="(.*)"\} (\d+)$/gm)].map(([, name, count]) => [
      name,
      count,
    ]);
    expect(counts).toEqual([
      ['a \\"quoted\\"\\nname \\\\ with   and \ufffd', '1'],
      ['x'.repeat(100), '1'],
      ['tool 0', '1'],
      ['other', '999'],
    ]);
  });

  it('keeps the states of runs apart when there are too many workflows', async () => {
    const workflows = Array.from(
      { length: 20 },
      (_, index) => logWorkflow({ id: `w${index}`, states: { ask: waiting({ GO: 'end' }), end: final } }) as AnyWorkflow,
    );
    const { metrics, runtime } = measured(workflows, { maxSeries: 5 });
    for (const workflow of workflows) await runtime.start(workflow, {} as never).result;
    const values = await valuesOf(metrics);
    expect(values.get('agent_machines_runs_suspended_total{workflow="other",status="waiting"}')).toBe(15);
    expect(values.get('agent_machines_runs{workflow="other",status="waiting"}')).toBe(15);
  });

  it('writes a type for every metric and one line for every series', async () => {
    const workflow = toolAgent({ model: callingModel('left'), tools: [echo('left')] });
    const { metrics, runtime } = measured([workflow]);
    await runtime.start(workflow, { input: 'q' }).result;
    const text = await metrics.text();
    const types = prometheusTypes(text);
    const series = text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.replace(/ \S+$/, '')]));
    expect(new Set(series).size).toBe(series.length);
    const names = new Set(series.map((one) => one.replace(/\{.*/, '')));
    for (const name of names)
      expect(types.has(name) || types.get(name.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram', name).toBe(true);
  });

  it('reports how long the event loop was blocked', async () => {
    const { metrics } = measured();
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const end = performance.now() + 300; performance.now() < end; );
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await valuesOf(metrics)).get('nodejs_eventloop_delay_max_seconds')).toBeGreaterThan(0.2);
  });

  it('fails no run when a meter throws', async () => {
    const { meter } = recordingMeter();
    const broken = () => {
      throw new Error('no exporter');
    };
    const { runtime } = measured([], {
      meter: { ...meter, createCounter: () => ({ add: broken }), createHistogram: () => ({ record: broken }) },
    });
    const warned: string[] = [];
    const note = (warning: Error): void => void warned.push(warning.message);
    process.on('warning', note);
    opened.push({ close: () => process.off('warning', note) });
    const workflow = ending('done');
    expect(await runtime.start(workflow, {}).result).toMatchObject({ status: 'done' });
    await expect.poll(() => warned).toEqual(['A metric was not counted: no exporter']);
  });

  it.each([undefined, null, {}, 'agents.db'])('rejects %j as a store or rate limits', (value) => {
    const { metrics } = measured();
    for (const wrap of [metrics.store, metrics.limits])
      expect(() => (wrap as (value: unknown) => unknown).call(metrics, value)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it.each([{ prices: 1 }, { maxSeries: 0 }, { meter: {} }, { tallyMs: -1 }, { unknown: 1 }])('rejects the options %j', (options) => {
    expect(() => createMetrics(options as MetricsOptions)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('the RunStore contract: a store with metrics', () => {
  for (const { name, run } of runStoreContract(async () => createMetrics().store(memoryStore()))) it(name, () => run());
});
