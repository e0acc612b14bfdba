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
});
