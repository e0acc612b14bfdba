import { type AnyWorkflow, defineMachine, defineState, defineWorkflow } from 'agent-machines';

interface Counters {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}
type Turn = { readonly type: 'FIRST' } | { readonly type: 'SECOND' } | { readonly type: 'END' };

/** Two odometers of two wheels. It has `wheel` to the power of four places that wait, with three moves each, and one that has ended. */
export function counters(wheel: number): AnyWorkflow {
  const next = (value: number): number => (value + 1) % wheel;
  const state = defineState<Counters, null, null, Turn>({
    events: {
      FIRST: { patch: ({ a, b }) => ({ a: next(a), b: a === wheel - 1 ? next(b) : b }) },
      SECOND: { patch: ({ c, d }) => ({ c: next(c), d: c === wheel - 1 ? next(d) : d }) },
    },
  });
  const machine = defineMachine(state, {
    id: 'counters',
    initial: 'turn',
    context: () => ({ a: 0, b: 0, c: 0, d: 0 }),
    guards: { isZero: ({ a, b, c, d }) => a + b + c + d === 0 },
    states: {
      turn: {
        waiting: {
          FIRST: { target: 'turn', reenter: true },
          SECOND: { target: 'turn', reenter: true },
          END: [
            { guard: 'isZero', target: 'ended' },
            { target: 'turn', reenter: true },
          ],
        },
      },
      ended: { final: true },
    },
  });
  return defineWorkflow({ machine, nodes: {} }) as unknown as AnyWorkflow;
}
