import { toGraph } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { inReadingOrder } from '../../../../../src/studio/inspector/node/reading-order.ts';

const pathsOf = (config: object): readonly string[] =>
  inReadingOrder(toGraph(createMachine(config as never))).states.map(({ path }) => path);

describe('inReadingOrder', () => {
  it('has states as they are reached, level by level, and those that never are at the end', () => {
    expect(
      pathsOf({
        initial: 'write',
        states: {
          approve: { initial: 'open', states: { closed: { always: '#end' }, open: { on: { GO: 'closed' } } } },
          end: { id: 'end', type: 'final' },
          lost: {},
          read: { on: { NEXT: 'approve' } },
          write: { on: { NEXT: 'read', STOP: 'end' } },
        },
      }),
    ).toEqual(['write', 'read', 'end', 'approve', 'approve.open', 'approve.closed', 'lost']);
  });

  it('leaves the regions of a parallel state in their order, and loses no state of a machine without a beginning', () => {
    expect(pathsOf({ type: 'parallel', states: { b: {}, a: {} } })).toEqual(['b', 'a']);
  });
});
