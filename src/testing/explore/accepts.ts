import type { MachineContext } from 'xstate';
import { decide } from './decide.ts';
import type { Invariant, Predicate } from './invariant.ts';

/**
 * Invariant that a waiting state accepts each of these events. Other invariants cannot show this, because a rejected event causes no move.
 *
 * @param state Path of the waiting state.
 * @param when Restricts the places where it waits. Default: all of them.
 * @example accepts('a human may approve or reject', 'review', ['APPROVE', 'REJECT'])
 */
export const accepts = <TState = MachineContext>(
  name: string,
  state: string,
  events: readonly string[],
  when: Predicate<TState> = () => true,
): Invariant<TState> => ({
  name,
  predicates: [when],
  check: (given) =>
    decide(given, {
      predicates: [when],
      isUniversal: true,
      find(graph, holds) {
        for (let place = 0; place < graph.size; place++) {
          const { waiting, where } = graph.configuration(place);
          if (!waiting.includes(state) || !graph.isExpanded(place) || !holds(when as Predicate, place)) continue;
          const taken = new Set<string>();
          graph.findMove(place, undefined, (move) => {
            for (const edge of graph.label(move).edges) if (edge.from === state) taken.add(edge.on);
            return false;
          });
          const refused = events.find((event) => !taken.has(event));
          if (refused !== undefined) return { why: () => `"${where}" rejects ${refused}.`, path: graph.pathTo(place) };
        }
        return undefined;
      },
    }),
});
