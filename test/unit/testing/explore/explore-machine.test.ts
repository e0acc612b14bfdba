import { defineMachine, defineState, defineWorkflow } from 'agent-machines';
import { exploreMachine } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { articleOptions, articleWorkflow } from '../../../fixtures/article-workflow.ts';

describe('exploreMachine', () => {
  it('finds every place of a machine with its counters, where they still matter', () => {
    const { states, moves, complete, cutOff, edgesNeverTaken, stuck, failures, abstraction } = exploreMachine(
      articleWorkflow(),
      articleOptions,
    );
    expect({ complete, cutOff, edgesNeverTaken, stuck, failures }).toEqual({
      complete: true,
      cutOff: [],
      edgesNeverTaken: [],
      stuck: [],
      failures: [],
    });
    expect(abstraction).toEqual(['isGood', 'tries']);
    const places = states.map(({ where, state }) => `${where} ${state.isGood} ${state.tries}`);
    expect(places.sort()).toMatchInlineSnapshot(`
      [
        "check false 0",
        "check false 1",
        "check false 2",
        "done true 0",
        "dropped true 0",
        "failed false 0",
        "publish true 0",
        "review true 0",
        "review true 1",
        "review true 2",
        "tell true 0",
        "write false 0",
        "write false 1",
        "write false 2",
      ]
    `);
    // of three rounds each: write 2, check 3, review 4; of all rounds together: publish 2, tell 2
    expect(moves.length).toBe(3 * 9 + 4);
  });

  it('tells values apart that matter at one of many values of another key', () => {
    const wheel = 31;
    const state = defineState<{ a: number; b: number }, null, null, { type: 'TURN' } | { type: 'END' }>({
      events: { TURN: { patch: ({ a, b }) => ({ a: (a + 1) % wheel, b: a === wheel - 1 ? (b + 1) % wheel : b }) } },
    });
    const machine = defineMachine(state, {
      id: 'odometer',
      initial: 'turn',
      context: () => ({ a: 0, b: 0 }),
      guards: { isZero: ({ a, b }) => a + b === 0 },
      states: {
        turn: {
          waiting: {
            TURN: { target: 'turn', reenter: true },
            END: [
              { guard: 'isZero', target: 'ended' },
              { target: 'turn', reenter: true },
            ],
          },
        },
        ended: { final: true },
      },
    });
    const { states, complete } = exploreMachine(defineWorkflow({ machine, nodes: {} }));
    expect({ complete, places: states.length }).toEqual({ complete: true, places: wheel ** 2 + 1 });
  });
});
