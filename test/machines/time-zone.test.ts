import type { Json, JsonObject } from 'agent-machines';
import { createRuntime, memoryStore } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { checkTimeZone, getCurrentDatetime, machineTimeZone } from 'agent-machines/tools';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { knowledge } from './guide-agent/helpers.ts';

const contracts = [{ contract: parseContract({ name: 'c', text: '제1조(목적) 이 계약은 목적을 정한다.' }) }];

interface Made {
  parseInput(input: never): Json;
  toMachineInput(input: Json, start: { runId: string; startedAt: number; thread: never }): unknown;
  readonly thread?: { readonly initial: Json };
}

const workflows: readonly (readonly [name: string, make: (options?: { timeZone?: string }) => Made])[] = [
  ['plan-execute', (options) => planExecute(options) as never],
  ['contract-agent', (options) => contractAgent({ contracts, ...options }) as never],
  ['tool-agent', (options) => toolAgent(options) as never],
  ['chat-agent', (options) => chatAgent(options) as never],
  ['guide-agent', (options) => guideAgent({ knowledge, ...options }) as never],
];

const startedAt = Date.parse('2026-07-01T12:00:00Z');
const stored = (workflow: Made): Json => workflow.parseInput({ input: 'What time is it?' } as never);
const begun = (workflow: Made, input: Json): unknown =>
  workflow.toMachineInput(input, { runId: 'r', startedAt, thread: workflow.thread?.initial as never });

afterEach(() => vi.unstubAllEnvs());

describe.each(workflows)('time zone of %s', (_name, make) => {
  it('is that of the machine by default', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const [tokyo, paris] = [make(), make({ timeZone: 'Europe/Paris' })];
    expect(begun(tokyo, stored(tokyo))).toMatchObject({ currentDatetime: '2026-07-01 21:00:00 (Asia/Tokyo)', timeZone: 'Asia/Tokyo' });
    expect(begun(paris, stored(paris))).toMatchObject({ currentDatetime: '2026-07-01 14:00:00 (Europe/Paris)', timeZone: 'Europe/Paris' });
  });

  it('stays with the run when another machine resumes it', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const inputs = [stored(make()), stored(make({ timeZone: 'Europe/Paris' }))];
    vi.stubEnv('TZ', 'America/Lima');
    expect(inputs.map((input) => begun(make(), input))).toMatchObject([{ timeZone: 'Asia/Tokyo' }, { timeZone: 'Europe/Paris' }]);
    expect(inputs.map((input) => begun(make({ timeZone: 'UTC' }), input))).toEqual(inputs.map((input) => begun(make(), input)));
  });

  it('is Asia/Seoul for a run that an earlier version has stored', () => {
    const { timeZone: _, ...input } = stored(make({ timeZone: 'Europe/Paris' })) as JsonObject;
    expect(begun(make({ timeZone: 'UTC' }), input)).toMatchObject({
      currentDatetime: '2026-07-01 21:00:00 (Asia/Seoul)',
      timeZone: 'Asia/Seoul',
    });
  });

  it.each(['Mars/Olympus', 'BST', '+09:00', ''])('rejects %j', (timeZone) => {
    expect(() => make({ timeZone })).toThrow(expect.objectContaining({ code: 'TIME_ZONE_UNKNOWN' }));
  });
});

it("passes the run's time zone to a tool, also after a resume on another machine", async () => {
  const store = memoryStore();
  const now = { ...getCurrentDatetime(), needsApproval: true };
  const agents = [planExecute, chatAgent, toolAgent].map((make) => (options: { timeZone: string }) => make({ tools: [now], ...options }));
  for (const make of agents) {
    const before = createRuntime({ store });
    const run = before.start(make({ timeZone: 'Europe/Paris' }), { input: 'What time is it?' });
    const { interrupt } = (await run.result) as { interrupt: { id: string } };
    const other = createRuntime({ store, workflows: [make({ timeZone: 'America/Lima' })] });
    const end = await (await other.send(run.id, { type: 'APPROVE' }, { interruptId: interrupt.id })).result;
    expect(end).toMatchObject({ output: { answer: expect.stringContaining('(Europe/Paris)') } });
  }
});

it("uses the same time zone in a workflow's own tools", async () => {
  const plan = await createRuntime().start(planExecute({ timeZone: 'Europe/Paris' }), { input: 'What time is it?' }).result;
  expect(plan).toMatchObject({ output: { answer: expect.stringMatching(/^It is .* \(Europe\/Paris\)\.$/) } });
  const chat = await createRuntime().start(chatAgent({ timeZone: 'Europe/Paris' }), { input: '지금 몇 시야?' }).result;
  expect(chat).toMatchObject({ output: { answer: expect.stringContaining('Europe/Paris') } });
});

describe('checkTimeZone', () => {
  it("returns a known zone, and the machine's for none", () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    expect([checkTimeZone('Asia/Kathmandu'), checkTimeZone()]).toEqual(['Asia/Kathmandu', 'Asia/Tokyo']);
  });
});

describe('machineTimeZone', () => {
  it.each(['nowhere', 'KST-9', ':/etc/localtime', 'Etc/Unknown', '+09:00'])('is UTC if TZ is %j, which is not an IANA name', (name) => {
    vi.stubEnv('TZ', name);
    expect(machineTimeZone()).toBe('UTC');
  });
});
