import {
  type Attempt,
  type Json,
  noTaint,
  type StepOptions,
  type StreamEvent,
  type Tool,
  toErrorInfo,
  WorkflowError,
} from 'agent-machines';
import type { CallOptions, SucceededCall } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { capabilitiesOf, taintAfter } from '../../../../src/plan/executor/approval.ts';
import { type CallEnd, failedCall, journalCall, recordReuse, toEnvironment } from '../../../../src/plan/executor/journal-call.ts';

const harmless = { private: false, untrusted: false, external: false };
const external = { private: false, untrusted: true, external: true };

const toolOf = (more: Partial<Tool> = {}): Tool => ({
  name: 'tool',
  inputSchema: { type: 'object' },
  effect: 'pure',
  capabilities: harmless,
  execute: async () => 'done',
  ...more,
});

interface RecordedStep {
  readonly key: string;
  readonly options: StepOptions | undefined;
  readonly outcome: Json;
}

interface RecordingIo extends NonNullable<CallOptions['io']> {
  readonly events: StreamEvent[];
  readonly steps: RecordedStep[];
}

/** A node's io that runs every step, or answers it from `recorded` as after a restart. */
function recordingIo(recorded: Readonly<Record<string, Json>> = {}): RecordingIo {
  const events: StreamEvent[] = [];
  const steps: RecordedStep[] = [];
  const { signal } = new AbortController();
  return {
    events,
    steps,
    emit: (event) => void events.push(event),
    step: (async (key: string, work: (attempt: Attempt) => Promise<Json>, options?: StepOptions) => {
      const outcome = recorded[key] ?? (await work({ number: 1, idempotencyKey: `key of ${key}`, signal }));
      steps.push({ key, options, outcome });
      return outcome;
    }) as NonNullable<CallOptions['io']>['step'],
  };
}

/** A clock on which every look takes 5 milliseconds. */
function tickingClock(): NonNullable<CallOptions['clock']> {
  let now = 1_000;
  return {
    now: () => now,
    monotonic: () => {
      now += 5;
      return now;
    },
    schedule: () => () => {},
  };
}

const args = { b: 1, a: 'x' };
const holdsPrivate = { private: true, untrusted: false, user: false };
const signature = 'tool:{"a":"x","b":1}';

const call = (options: Omit<CallOptions, 'clock'>, taint = noTaint): Promise<CallEnd> =>
  journalCall('step_1', options.tools[0] ?? toolOf(), args, taint, toEnvironment({ ...options, clock: tickingClock() }));

describe('capabilitiesOf', () => {
  it('are the declared ones', () => {
    expect(capabilitiesOf(toolOf({ capabilities: external }))).toEqual(external);
  });

  it('are all that the tool does not deny', () => {
    const all = { private: true, untrusted: true, external: true };
    for (const capabilities of [undefined, {}, null]) expect(capabilitiesOf(toolOf({ capabilities } as never))).toEqual(all);
  });
});

describe('taintAfter', () => {
  const tool = toolOf({ capabilities: { private: true, untrusted: false, external: true } });
  const record = { status: 'success' as const, output: null, startedAt: 0, durationMs: 0, attempts: 1, signature, deduplicated: false };
  const failure = { ...record, status: 'failure' as const, error: toErrorInfo(new Error('no')) };
  it.each([
    ['a success', tool, record, holdsPrivate],
    ['a success that was taken from an equal call', tool, { ...record, attempts: 0, deduplicated: true }, holdsPrivate],
    ['a failure: its error may say what the tool has seen', tool, failure, holdsPrivate],
    ['a call that was not made', tool, { ...failure, attempts: 0 }, noTaint],
    ['a tool that is gone', undefined, record, { private: true, untrusted: true, user: true }],
    ['a tool that declares nothing', toolOf({ capabilities: undefined }), record, { private: true, untrusted: true, user: false }],
    ['a harmless tool', toolOf(), record, noTaint],
  ])('after %s', (_, one, past, after) => {
    expect(taintAfter(noTaint, one, past)).toEqual(after);
    const every = { private: true, untrusted: true, user: true };
    expect(taintAfter(every, one, past)).toEqual(every);
  });
});

describe('journalCall', () => {
  it('makes the call, and records its outcome', async () => {
    expect(await call({ tools: [toolOf()] })).toEqual({
      status: 'success',
      output: 'done',
      startedAt: 1_000,
      durationMs: 5,
      attempts: 1,
      signature,
      deduplicated: false,
    });
  });

  it('records a failure without throwing it', async () => {
    const tool = toolOf({ execute: () => Promise.reject(new Error('no')) });
    expect(await call({ tools: [tool] })).toEqual({
      status: 'failure',
      error: expect.objectContaining({ code: 'TOOL_FAILED', message: 'no' }),
      startedAt: 1_000,
      durationMs: 5,
      attempts: 1,
      signature,
      deduplicated: false,
    });
  });

  it('records null like any other output', async () => {
    expect(await call({ tools: [toolOf({ execute: async () => null })] })).toMatchObject({ status: 'success', output: null });
  });

  it('reports the call before and after', async () => {
    const io = recordingIo();
    await call({ tools: [toolOf()], io });
    const id = { callId: 'step_1', tool: 'tool' };
    expect(io.events).toEqual([
      { type: 'tool-start', ...id, args },
      { type: 'tool-end', ...id, durationMs: 5, attempts: 1, deduplicated: false },
    ]);
    const failing = recordingIo();
    await call({ tools: [toolOf({ execute: () => Promise.reject(new Error('no')) })], io: failing });
    expect(failing.events[1]).toEqual({
      type: 'tool-end',
      ...id,
      durationMs: 5,
      attempts: 1,
      deduplicated: false,
      error: expect.objectContaining({ code: 'TOOL_FAILED', message: 'no' }),
      cause: { name: 'Error', code: 'UNKNOWN', message: 'no', retryable: false },
    });
  });

  it('reports a call before it makes it', async () => {
    const io = recordingIo();
    let seen: readonly string[] = [];
    const tool = toolOf({
      async execute() {
        seen = io.events.map(({ type }) => type);
        return null;
      },
    });
    await call({ tools: [tool], io });
    expect(seen).toEqual(['tool-start']);
  });

  it('makes no call if its report fails', async () => {
    const limit = new WorkflowError({ code: 'LIMIT_EXCEEDED', message: 'Enough.' });
    let called = false;
    const tool = toolOf({
      async execute() {
        called = true;
        return null;
      },
    });
    const io: RecordingIo = {
      ...recordingIo(),
      emit: () => {
        throw limit;
      },
    };
    await expect(call({ tools: [tool], io })).rejects.toBe(limit);
    expect(called).toBe(false);
  });

  it.each(['pure', 'idempotent', 'once', undefined] as const)("is a step with the tool's effect (effect %s)", async (effect) => {
    const io = recordingIo();
    await call({ tools: [toolOf({ effect })], io });
    expect(io.steps).toMatchObject([{ key: 'step_1', options: { effect: effect ?? 'once', describe: { tool: 'tool', args } } }]);
  });

  it('passes the key of the step to the tool', async () => {
    const keys: string[] = [];
    const tool = toolOf({
      async execute(_, { idempotencyKey }) {
        keys.push(idempotencyKey);
        return null;
      },
    });
    await call({ tools: [tool], io: recordingIo() });
    expect(keys).toEqual(['key of step_1']);
    await call({ tools: [tool] });
    await call({ tools: [tool] });
    expect(new Set(keys).size).toBe(3); // without a journal every call is another one
  });

  it('replays a recorded outcome without a call or a report', async () => {
    const made = recordingIo();
    const first = await call({ tools: [toolOf()], io: made });
    const recorded = made.steps[0]?.outcome ?? null;
    const again = recordingIo({ step_1: recorded });
    const tool = toolOf({ execute: () => Promise.reject(new Error('called again')) });
    expect(await call({ tools: [tool], io: again })).toEqual(first);
    expect(again.events).toEqual([]);
  });

  it('is aborted by the caller and by the step', async () => {
    const reason = new Error('enough');
    const hanging = toolOf({ execute: () => new Promise(() => {}) });
    const stop = new AbortController();
    const byCaller = call({ tools: [hanging], signal: stop.signal });
    stop.abort(reason);
    await expect(byCaller).rejects.toBe(reason);
    const io: RecordingIo = {
      ...recordingIo(),
      step: (_key, work) => work({ number: 1, idempotencyKey: 'key', signal: AbortSignal.abort(reason) }),
    };
    await expect(call({ tools: [hanging], io })).rejects.toBe(reason);
  });

  it('is refused for an unavailable tool', async () => {
    const io = recordingIo();
    expect(await call({ tools: [toolOf({ unavailable: 'No key is set.' })], io })).toMatchObject({
      status: 'failure',
      error: { code: 'TOOL_UNAVAILABLE', message: 'No key is set.' },
      attempts: 0,
    });
    expect([io.events, io.steps]).toMatchObject([[], [{ key: 'step_1', options: { effect: 'pure' } }]]);
  });

  it('keeps a recorded hold even if the call is allowed now', async () => {
    const tools = [toolOf({ capabilities: external })];
    const refused = recordingIo();
    const record = await call({ tools, io: refused }, holdsPrivate);
    const again = recordingIo({ step_1: refused.steps[0]?.outcome ?? null });
    expect(await call({ tools, io: again, allowEgress: true }, holdsPrivate)).toEqual(record);
  });

  it('holds an external call with private data in the thread, without a start event', async () => {
    const io = recordingIo();
    const held = { status: 'held', tool: 'tool', args, signature, reasons: ['private'] };
    expect(await call({ tools: [toolOf({ capabilities: external })], io }, holdsPrivate)).toEqual(held);
    expect(await call({ tools: [toolOf({ capabilities: undefined })], io }, holdsPrivate)).toEqual(held);
    expect([io.events, io.steps]).toMatchObject([[], [{ options: { effect: 'pure' } }, { options: { effect: 'pure' } }]]);
  });

  it('holds a call for every reason, and makes it after approval', async () => {
    const tool = toolOf({ capabilities: external, effect: 'once', needsApproval: true });
    const taint = { private: true, untrusted: true };
    expect(await call({ tools: [tool] }, taint)).toMatchObject({ status: 'held', reasons: ['declared', 'untrusted', 'private'] });
    expect(await call({ tools: [tool], allowEgress: true }, taint)).toMatchObject({ reasons: ['declared', 'untrusted'] });
    expect(await call({ tools: [tool], approved: [signature] }, taint)).toMatchObject({ status: 'success' });
    expect(await call({ tools: [tool], approved: ['tool:{"a":"x"}'] }, taint)).toMatchObject({ status: 'held' });
  });

  it('calls the tool’s own function once, however often it restarts', async () => {
    const asked: unknown[] = [];
    const tool = toolOf({
      needsApproval: (given, { taint }) => {
        asked.push([given, taint]);
        return asked.length === 1;
      },
    });
    const io = recordingIo();
    expect(await call({ tools: [tool], io })).toMatchObject({ status: 'held', reasons: ['declared'] });
    const recorded = Object.fromEntries(io.steps.map(({ key, outcome }) => [key, outcome]));
    expect(await call({ tools: [tool], io: recordingIo(recorded) })).toMatchObject({ status: 'held' });
    expect(asked).toEqual([[args, noTaint]]);
  });

  it('may send data out if the thread has no private data, or if allowed', async () => {
    const tools = [toolOf({ capabilities: external })];
    expect(await call({ tools })).toMatchObject({ status: 'success' });
    expect(await call({ tools, allowEgress: true }, holdsPrivate)).toMatchObject({ status: 'success' });
    expect(await call({ tools: [toolOf({ capabilities: { ...harmless, private: true } })] }, holdsPrivate)).toMatchObject({
      status: 'success',
    });
  });
});

describe('recordReuse', () => {
  const environment = (io: RecordingIo): ReturnType<typeof toEnvironment> => toEnvironment({ tools: [], io, clock: tickingClock() });
  const earlier: SucceededCall = {
    status: 'success',
    output: { n: 1 },
    startedAt: 1,
    durationMs: 99,
    attempts: 3,
    signature,
    deduplicated: false,
  };

  it('records the output of the earlier call as deduplicated', async () => {
    expect(await recordReuse('step_2', 'tool', args, earlier, environment(recordingIo()))).toEqual({
      status: 'success',
      output: { n: 1 },
      startedAt: 1_000,
      durationMs: 0,
      attempts: 0,
      signature,
      deduplicated: true,
    });
  });

  it('reports it once, so that it counts towards the limits', async () => {
    const io = recordingIo();
    await recordReuse('step_2', 'tool', args, earlier, environment(io));
    expect(io.events).toEqual([
      { type: 'tool-start', callId: 'step_2', tool: 'tool', args },
      { type: 'tool-end', callId: 'step_2', tool: 'tool', durationMs: 0, attempts: 0, deduplicated: true },
    ]);
    const again = recordingIo({ step_2: 1_000 });
    expect(await recordReuse('step_2', 'tool', args, earlier, environment(again))).toMatchObject({ startedAt: 1_000, deduplicated: true });
    expect(again.events).toEqual([]);
  });
});

describe('failedCall', () => {
  it('is the record of a call that was not made', () => {
    const error = new WorkflowError({ code: 'TOOL_UNKNOWN', message: 'Gone.', hint: 'Look.' });
    expect(failedCall(error, signature, 7)).toEqual({
      status: 'failure',
      error: error.toJSON(),
      startedAt: 7,
      durationMs: 0,
      attempts: 0,
      signature,
      deduplicated: false,
    });
  });
});

describe('toEnvironment', () => {
  it('uses the machine’s clock and no journal by default', async () => {
    const before = Date.now();
    const record = await journalCall('step_1', toolOf(), args, { private: true, untrusted: true }, toEnvironment({ tools: [] }));
    expect(record).toMatchObject({ status: 'success', durationMs: expect.any(Number) });
    const startedAt = 'startedAt' in record ? record.startedAt : 0;
    expect(startedAt).toBeGreaterThanOrEqual(before);
    expect(startedAt).toBeLessThanOrEqual(Date.now());
  });

  it('uses a real time-out, and cancels it when the tool is done', async () => {
    const slow = toolOf({ execute: () => new Promise(() => {}), timeoutMs: 1 });
    expect(await journalCall('step_1', slow, args, noTaint, toEnvironment({ tools: [] }))).toMatchObject({
      status: 'failure',
      error: { code: 'TOOL_TIMEOUT' },
    });
    const timersBefore = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await journalCall('step_1', toolOf(), args, noTaint, toEnvironment({ tools: [] }));
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(timersBefore);
  });
});
