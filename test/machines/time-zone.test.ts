import type { Json } from 'agent-machines';
import { createRuntime } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { checkTimeZone, defaultTimeZone } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
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

describe.each(workflows)('time zone of %s', (_name, make) => {
  it('is Asia/Seoul by default', () => {
    const [seoul, paris] = [make(), make({ timeZone: 'Europe/Paris' })];
    expect(begun(seoul, stored(seoul))).toMatchObject({ currentDatetime: '2026-07-01 21:00:00 (Asia/Seoul)' });
    expect(begun(paris, stored(paris))).toMatchObject({ currentDatetime: '2026-07-01 14:00:00 (Europe/Paris)' });
  });

  it('is kept by the run on every host', () => {
    const input = stored(make({ timeZone: 'Europe/Paris' }));
    expect(begun(make(), input)).toEqual(begun(make({ timeZone: 'America/Lima' }), input));
    expect(begun(make(), input)).toMatchObject({ currentDatetime: '2026-07-01 14:00:00 (Europe/Paris)' });
    expect(begun(make({ timeZone: 'America/Lima' }), stored(make()))).toMatchObject({
      currentDatetime: '2026-07-01 21:00:00 (Asia/Seoul)',
    });
  });

  it.each(['Mars/Olympus', 'BST', '+09:00', ''])('rejects %j', (timeZone) => {
    expect(() => make({ timeZone })).toThrow(expect.objectContaining({ code: 'TIME_ZONE_UNKNOWN' }));
  });
});

it("uses the same time zone in a workflow's own tools", async () => {
  const plan = await createRuntime().start(planExecute({ timeZone: 'Europe/Paris' }), { input: 'What time is it?' }).result;
  expect(plan).toMatchObject({ output: { answer: expect.stringMatching(/^It is .* \(Europe\/Paris\)\.$/) } });
  const chat = await createRuntime().start(chatAgent({ timeZone: 'Europe/Paris' }), { input: '지금 몇 시야?' }).result;
  expect(chat).toMatchObject({ output: { answer: expect.stringContaining('Europe/Paris') } });
});

describe('checkTimeZone', () => {
  it('returns a known zone, and the default for none', () => {
    expect([checkTimeZone('Asia/Kathmandu'), checkTimeZone()]).toEqual(['Asia/Kathmandu', defaultTimeZone]);
  });
});
