import type { MachineContext } from 'xstate';
import type { Merger } from '../../engine/define/state.ts';
import { type Counterexample, toCounterexample } from './counterexample.ts';
import type { ExploredMove, ExploredState } from './exploration.ts';
import type { OutcomeClass } from './outcome-class.ts';
import type { Path } from './place-graph.ts';
import type { Pending, Search } from './search.ts';

/**
 * Plays a path with concrete states on the machine itself.
 *
 * @param isProposed True for a node whose patches were proposed; what they leave unchanged is not shown.
 * @returns `undefined` if a run with these outcomes goes another way.
 */
export function replay(
  search: Search,
  { start, moves, loopFrom }: Path,
  { merger, isProposed }: { readonly merger: Merger | undefined; isProposed(path: string): boolean },
): Counterexample | undefined {
  const { graph } = search;
  const before = graph.pathTo(start);
  const first = search.startAt.get(before.start);
  if (!first) return undefined;
  let pending = first;
  let from = toExplored(search, before.start, first);
  let begin = from;
  const played: ExploredMove[] = [];
  for (const [at, move] of [...before.moves, ...moves].entries()) {
    const label = graph.label(move);
    const outcome = graph.outcome(move);
    const shown =
      outcome && label.kind === 'node' && isProposed(label.by) ? withoutUnchanged(outcome, pending.position.state, merger) : outcome;
    // the schema of a node's returns may require a key that does not change
    const arrival = search.step(pending, label, shown) ?? search.step(pending, label, outcome);
    const target = graph.target(move);
    if (!arrival || search.placeOf(arrival.pending) !== target) return undefined;
    if (JSON.stringify(arrival.label.edges) !== JSON.stringify(label.edges)) return undefined;
    const to = toExplored(search, target, arrival.pending);
    if (at < before.moves.length) begin = to;
    else played.push({ from, to, ...arrival.label, state: to.state });
    [pending, from] = [arrival.pending, to];
  }
  const way = toCounterexample(begin, played, loopFrom);
  return loopFrom === undefined || repeats(search, pending, moves.slice(loopFrom)) ? way : undefined;
}

/** Most moves for finding out whether a loop ends. */
const maxLoopMoves = 2_000;

/** Returns true if a run can take the moves again and again: until its state is as before, or for a long time. */
function repeats(search: Search, from: Pending, moves: readonly number[]): boolean {
  const seen = new Set([JSON.stringify(from.position.state)]);
  let pending = from;
  for (let count = 0; count < maxLoopMoves; count += moves.length) {
    for (const move of moves) {
      const arrival = search.step(pending, search.graph.label(move), search.graph.outcome(move));
      if (!arrival || search.placeOf(arrival.pending) !== search.graph.target(move)) return false;
      pending = arrival.pending;
    }
    const state = JSON.stringify(pending.position.state);
    if (seen.has(state)) return true;
    seen.add(state);
  }
  return true;
}

function toExplored({ graph }: Search, place: number, { position }: Pending): ExploredState {
  return { ...graph.explored(place), state: position.state };
}

function withoutUnchanged(outcome: OutcomeClass, state: MachineContext, merger: Merger | undefined): OutcomeClass {
  if (!('patch' in outcome) || outcome.name !== undefined) return outcome;
  const changed = Object.entries(outcome.patch).filter(
    ([key, value]) => merger?.reducers.has(key) || JSON.stringify(value) !== JSON.stringify(state[key]),
  );
  return { ...outcome, patch: Object.fromEntries(changed) };
}
