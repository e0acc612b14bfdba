import { createRuntime, memoryStore, type RunEvent } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { planExecute } from 'agent-machines/machines/plan-execute';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { addEvents, emptyLog, liveText, needsFrom, viewAt } from '../../../src/studio/model/run-log.ts';
import { runTotals } from '../../../src/studio/model/run-totals.ts';

/** What two real runs have said, tokens included. */
let recorded: readonly (readonly RunEvent[])[] = [];

beforeAll(async () => {
  const runtime = createRuntime({ store: memoryStore() });
  const sum = eventsOf(runtime.start(planExecute(), { input: '123 * 456 계산해줘' }).events());
  const guide = guideAgent({ knowledge: await exampleKnowledge() });
  const planned = runtime.start(guide, { input: '유튜브 쇼츠를 만들어서 올리고 싶어' });
  const first = [await sum, await eventsOf(planned.events())] as const;
  const asked = first[1].at(-1);
  const interruptId = asked?.type === 'interrupt' ? asked.interrupt.id : '';
  const revised = await runtime.send(planned.id, { type: 'REVISE', feedback: '자막도 넣어 줘' }, { interruptId });
  const rest = await eventsOf(revised.events({ from: first[1].length + 1 }));
  recorded = [first[0], [...first[1], ...rest]];
  await runtime.close();
});

async function eventsOf(events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const isStored = ({ type }: RunEvent): boolean => type !== 'token' && type !== 'custom';

describe('addEvents', () => {
  it('keeps the last progress of each call until its work starts again', () => {
    const progress = (callId: string, percent: number): RunEvent => ({
      type: 'custom',
      name: 'tool-progress',
      data: { callId, tool: 't', data: { percent } },
      seq: 0,
      at: 0,
      node: 'tools#1',
    });
    const other: RunEvent = { type: 'custom', name: 'mine', data: { callId: 'a', data: 1 }, seq: 0, at: 0, node: 'tools#1' };
    const log = addEvents(emptyLog, [progress('a', 1), progress('b', 2), progress('a', 3), other]);
    expect(log.progress).toEqual({ 'tools#1/a': { percent: 3 }, 'tools#1/b': { percent: 2 } });
    expect(addEvents(log, [{ type: 'step-reset', seq: 1, at: 0, node: 'tools#1' }]).progress).toEqual({});
  });

  it('gives the same view after any prefix and a resume from any point in it', () => {
    for (const events of recorded) {
      const stored = events.filter(isStored);
      const whole = addEvents(emptyLog, stored);
      fc.assert(
        fc.property(fc.nat(events.length), fc.nat(stored.length), (heard, back) => {
          const before = addEvents(emptyLog, events.slice(0, heard));
          const from = Math.max(1, Math.min(needsFrom(before), back + 1));
          const after = addEvents(before, stored.slice(from - 1));
          expect(after.view).toEqual(whole.view);
          expect(after.events).toEqual(whole.events);
        }),
      );
    }
  });

  it('equals the view of the prefix after each event', () => {
    for (const events of recorded) {
      const stored = events.filter(isStored);
      fc.assert(
        fc.property(fc.nat(stored.length), (count) => {
          expect(addEvents(emptyLog, stored.slice(0, count)).view).toEqual(viewAt(stored, count));
        }),
      );
    }
  });

  it('ignores events behind a gap, and reports where to resume', () => {
    const [events = []] = recorded;
    const stored = events.filter(isStored);
    const log = addEvents(emptyLog, [...stored.slice(0, 3), ...stored.slice(5)]);
    expect(needsFrom(log)).toBe(4);
    expect(addEvents(log, stored.slice(3)).view).toEqual(addEvents(emptyLog, stored).view);
  });

  it('drops the stream of work that has restarted', () => {
    const [events = []] = recorded;
    const stored = events.filter(isStored);
    const lost = stored.slice(0, 12);
    const reset = { type: 'step-reset', seq: 8, at: 1 } as const satisfies RunEvent;
    const log = addEvents(addEvents(emptyLog, lost), [reset]);
    expect(log.events).toEqual([...lost.slice(0, 7), reset]);
    expect(log.view.visits).toHaveLength(viewAt(lost, 7).visits.length);
  });

  it('replaces an event by another one with the same number', () => {
    const [events = []] = recorded;
    const stored = events.filter(isStored);
    const other = stored.map((event, index) => (index >= 6 ? { ...event, at: event.at + 1_000 } : event));
    const log = addEvents(addEvents(emptyLog, stored.slice(0, 10)), other.slice(6));
    expect(log.view).toEqual(addEvents(emptyLog, other).view);
  });

  it('collects streamed text', () => {
    const [events = []] = recorded;
    expect(liveText(addEvents(emptyLog, events))).toBe('123 * 456 = 56088');
  });

  it('separates two nodes that stream at once, until one starts after another has ended', () => {
    const say = (node: string, text: string): RunEvent => ({ type: 'token', text, node, seq: 2, at: 0 });
    const begun = (['a', 'b'] as const).map((key, index): RunEvent => ({ type: 'node-start', key, attempt: 1, seq: index + 1, at: 0 }));
    const both = addEvents(emptyLog, [...begun, say('a', 'one '), say('b', 'three '), say('a', 'two'), say('b', 'four')]);
    expect(liveText(both)).toBe('one two\n\nthree four');
    const ended = addEvents(both, [{ type: 'node-end', key: 'a', durationMs: 1, seq: 3, at: 1 }]);
    expect(liveText(addEvents(ended, [{ ...say('c', 'five'), seq: 3 }]))).toBe('three four\n\nfive');
    expect(liveText(addEvents(both, [{ type: 'step-reset', node: 'a', seq: 3, at: 1 }]))).toBe('three four');
    expect(liveText(addEvents(both, [{ type: 'step-reset', seq: 3, at: 1 }]))).toBe('');
  });
});

describe('the view of a run', () => {
  it('has the open question, and who answered the one before', () => {
    const [, events = []] = recorded;
    const { view } = addEvents(emptyLog, events);
    expect(view.active).toEqual(['human_review']);
    expect(view.open.map(({ key }) => key)).toEqual(['human_review#2']);
    expect(view.answered.map(({ move }) => move.on)).toEqual(['REVISE']);
    expect(view.visits.map(({ key }) => key)).toEqual([
      'llm_router#1',
      'planning_node#1',
      'human_review#1',
      'planning_node#2',
      'human_review#2',
    ]);
    expect(view.visits[2]).toMatchObject({ waits: true, left: { on: 'REVISE' } });
  });

  it('counts model calls and tools, but no waiting time', () => {
    const [events = []] = recorded;
    const totals = runTotals(addEvents(emptyLog, events).view);
    expect(totals).toMatchObject({ modelCalls: 3, toolCalls: 1, reusedCalls: 0, tokens: 0 });
  });
});
