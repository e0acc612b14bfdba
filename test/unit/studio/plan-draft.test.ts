import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changePlan, draftOf, isChanged, isSendable, type PlanChange, planOf, planProblems } from '../../../src/studio/model/plan-draft.ts';

const asked = ['write', 'draw', 'cut'];
const changed = (...changes: readonly PlanChange[]) => changes.reduce(changePlan, draftOf(asked));

describe('changePlan', () => {
  it.each<readonly [string, readonly PlanChange[], readonly string[]]>([
    ['edits a row', [{ do: 'edit', id: 1, text: 'paint' }], ['write', 'paint', 'cut']],
    ['adds a row', [{ do: 'add', text: 'post' }], ['write', 'draw', 'cut', 'post']],
    ['removes a row', [{ do: 'remove', id: 0 }], ['draw', 'cut']],
    [
      'puts a row back',
      [
        { do: 'remove', id: 0 },
        { do: 'restore', id: 0 },
      ],
      asked,
    ],
    ['moves a row down', [{ do: 'move', id: 0, to: 1 }], ['draw', 'write', 'cut']],
    ['moves a row no further than the end', [{ do: 'move', id: 0, to: 99 }], ['draw', 'cut', 'write']],
    [
      'forgets an added row that is removed',
      [
        { do: 'add', text: 'x' },
        { do: 'remove', id: 3 },
      ],
      asked,
    ],
    ['passes over a row that there is not', [{ do: 'remove', id: 77 }], asked],
    [
      'takes the last change back',
      [{ do: 'edit', id: 1, text: 'paint' }, { do: 'remove', id: 0 }, { do: 'undo' }],
      ['write', 'paint', 'cut'],
    ],
  ])('%s', (_, changes, plan) => {
    expect(planOf(changed(...changes))).toEqual(plan);
  });

  it('returns to the original after as many undos as changes', () => {
    const id = fc.nat(5);
    const change: fc.Arbitrary<PlanChange> = fc.oneof(
      fc.record({ do: fc.constant('edit' as const), id, text: fc.string() }),
      fc.record({ do: fc.constant('add' as const), text: fc.string() }),
      fc.record({ do: fc.constantFrom('remove' as const, 'restore' as const), id }),
      fc.record({ do: fc.constant('move' as const), id, to: fc.integer({ min: -2, max: 9 }) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const end = changes.reduce(changePlan, draftOf(asked));
        const undone = end.before.reduce((draft) => changePlan(draft, { do: 'undo' }), end);
        expect(undone.rows).toEqual(draftOf(asked).rows);
        expect(isChanged(undone)).toBe(false);
        expect(new Set(end.rows.map((row) => row.id)).size).toBe(end.rows.length);
      }),
    );
  });
});

describe('planProblems', () => {
  it('finds rows that the machine would reject', () => {
    const draft = changed({ do: 'edit', id: 0, text: ' \u200b' }, { do: 'edit', id: 1, text: 'CUT' }, { do: 'edit', id: 2, text: ' cut ' });
    expect([...planProblems(draft)]).toEqual([
      [0, 'blank'],
      [2, 'twice'],
    ]);
    expect(isSendable(draft)).toBe(false);
  });

  it('ignores a removed row', () => {
    expect(isSendable(changed({ do: 'edit', id: 0, text: '' }, { do: 'remove', id: 0 }))).toBe(true);
  });

  it('rejects a plan that is empty or too long', () => {
    expect(isSendable(changed(...[0, 1, 2].map((id) => ({ do: 'remove', id }) as const)))).toBe(false);
    expect(isSendable(changed(...['a', 'b', 'c'].map((text) => ({ do: 'add', text }) as const)))).toBe(false);
  });
});
