import { toGraph } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { inReadingOrder } from '../../../../../src/studio/inspector/node/reading-order.ts';

const pathsOf = (config: object): readonly string[] =>
  inReadingOrder(toGraph(createMachine(config as never))).states.map(({ path }) => path);

describe('inReadingOrder', () => {
  it('orders states as they are reached, level by level, with unreachable ones last', () => {
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

  it('keeps the order of parallel regions, and loses no state of a machine without a start', () => {
    expect(pathsOf({ type: 'parallel', states: { b: {}, a: {} } })).toEqual(['b', 'a']);
  });
});
