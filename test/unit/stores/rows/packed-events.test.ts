import type { JournalEntry, Json, RunEvent } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packEvents, unpackEvents } from '../../../../src/stores/rows/packed-events.ts';
import { packOutcome, unpackOutcome } from '../../../../src/stores/rows/packed-outcome.ts';
import { share } from '../../../fixtures/share.ts';

const run = { id: 'r_1', workflow: 'w', version: '1', thread: 't_1' };
const text = fc.constantFrom('a', 'b', 'done', 'a#1', 'a#2', '', 'r_1', 'w', '1', 't_1', '__proto__');
const number = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const at = fc.oneof(fc.constantFrom(1_000, 1_001), fc.double({ min: 0, max: 1e13, noNaN: true }));
const error = fc.record({ name: text, code: text, message: text, retryable: fc.boolean() });

/** Events of every shape that is written short, near misses of them, and others. */
const event = (seq: number): fc.Arbitrary<RunEvent> => {
  const meta = { seq: fc.oneof({ weight: 20, arbitrary: fc.constant(seq) }, { weight: 1, arbitrary: fc.integer() }), at };
  const node = { node: fc.constantFrom('a#1', 'b#1') };
  const record = (required: object, extra: object): fc.Arbitrary<unknown> =>
    fc.record({ ...required, ...extra }, { requiredKeys: Object.keys(required) as never[] });
  return fc.oneof(
    record({ type: fc.constant('node-start'), key: text, attempt: number, ...meta }, node),
    record({ type: fc.constant('node-end'), key: text, durationMs: number, ...meta }, { error, ...node }),
    record({ type: fc.constant('edge'), from: text, on: text, to: text, ...meta }, { guard: text, ...node }),
    record({ type: fc.constant('run-start'), workflow: text, version: text, runId: text, ...meta }, { threadId: text, model: text }),
    record(
      { type: fc.constant('run-end'), status: fc.constantFrom('done', 'failed'), ...meta },
      { finalState: text, error, failure: error },
    ),
    record({ type: fc.constant('thinking'), step: text, content: fc.jsonValue(), ...meta }, node),
  ) as fc.Arbitrary<RunEvent>;
};

const entry: fc.Arbitrary<JournalEntry> = fc
  .tuple(fc.integer({ min: 0, max: 9 }), fc.nat({ max: 5 }))
  .chain(([first, count]) => fc.tuple(...Array.from({ length: count }, (_, index) => event(first + index))))
  .chain((events) =>
    fc.record({
      seq: fc.integer({ min: 1, max: 9 }),
      key: text,
      kind: fc.constantFrom('start', 'settle', 'node', 'step'),
      outcome: fc.oneof(
        fc.jsonValue() as fc.Arbitrary<Json>,
        fc.record(
          { status: fc.constantFrom('done', 'failed'), finalState: text, error, failure: error },
          { requiredKeys: [] },
        ) as fc.Arbitrary<Json>,
      ),
      events: fc.constant(events),
      epoch: fc.constant(1),
      at,
    }),
  ) as fc.Arbitrary<JournalEntry>;

const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('packEvents', () => {
  it('preserves every event with its order and number', () => {
    fc.assert(
      fc.property(entry, fc.constantFrom(run, { ...run, thread: null }), (each, named) => {
        const { events, ...head } = stored(each) as JournalEntry;
        expect(unpackEvents(JSON.parse(packEvents(each, named)), head, named)).toEqual(events);
      }),
      { numRuns: share(5_000) },
    );
  });

  it('packs the events of a node into few characters', () => {
    const events: RunEvent[] = [
      { type: 'edge', from: 'work', on: 'done', to: 'work', seq: 7, at: 1_000 },
      { type: 'node-start', key: 'work#3', attempt: 1, seq: 8, at: 1_000 },
      { type: 'node-end', key: 'work#3', durationMs: 0.4, seq: 9, at: 1_002 },
    ];
    const node: JournalEntry = { seq: 4, key: 'work#3', kind: 'node', outcome: { output: {} }, events, epoch: 1, at: 1_002 };
    expect(packEvents(node, run)).toBe('[7,[2,"work","done","work"],[2,1],0.4]');
  });
});

describe('packOutcome', () => {
  const long = 'x'.repeat(60);
  const node = (outcome: Json): JournalEntry => ({ seq: 2, key: 'a#1', kind: 'node', outcome, events: [], epoch: 1, at: 0 });
  const journalOf = (last: JournalEntry): readonly JournalEntry[] => [{ ...last, seq: 1 }, last];

  it('preserves every outcome', () => {
    const value = fc.oneof(fc.constantFrom<Json>(long, 'short', null), fc.jsonValue() as fc.Arbitrary<Json>);
    const outcome = fc.oneof(
      value,
      fc.record({ status: fc.constant('done'), finalState: text, output: value, failure: value }, { requiredKeys: [] }),
    );
    const said = fc.oneof(value, fc.record({ output: fc.dictionary(fc.constantFrom('a', 'b'), value) }));
    fc.assert(
      fc.property(outcome, said, fc.constantFrom('settle' as const, 'node' as const), (ended, spoken, kind) => {
        const last = node(stored(spoken) as Json);
        const end: JournalEntry = { ...node(stored(ended) as Json), seq: 3, kind };
        expect(unpackOutcome(JSON.parse(packOutcome(end, last)), kind, journalOf(last))).toEqual(end.outcome);
      }),
      { numRuns: share(3_000) },
    );
  });

  it('stores the output of a run only once', () => {
    const last = node({ output: { answer: long } });
    const end: JournalEntry = { ...node({ status: 'done', finalState: 'done', output: long }), seq: 3, kind: 'settle' };
    expect(packOutcome(end, last)).toBe('[2,"answer",{"status":"done","finalState":"done"}]');
    const found = unpackOutcome(JSON.parse(packOutcome(end, last)), 'settle', journalOf(last));
    expect(JSON.stringify(found)).toBe(JSON.stringify(end.outcome));
  });
});
