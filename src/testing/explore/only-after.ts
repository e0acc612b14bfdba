import type { MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { GraphState } from '../../engine/define/graph.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import type { Exploration } from './exploration.ts';
import type { Invariant } from './invariant.ts';
import { toLeafGraph } from './leaf-graph.ts';
import { until } from './until.ts';

/**
 * Invariant that a state is entered only after an edge was taken, for example only after an approval. It holds for all values if no path
 * of the state graph avoids the edge; otherwise the exploration decides whether guards prevent such a path.
 *
 * @param state Path of the state; states inside it count, too.
 * @param edge `on` is `done`, `error`, an event, or another name of the graph. Without `guard`, each edge with this name counts.
 * @throws {WorkflowError} `OPTION_INVALID` for an unknown state or edge.
 * @example onlyAfter('nothing is published before it was approved', 'publish', { from: 'review', on: 'APPROVE' })
 */
export function onlyAfter<TState = MachineContext>(name: string, state: string, { from, on, guard }: TakenEdge): Invariant<TState> {
  const searched = until<TState>(
    name,
    ({ isIn }) => !isIn(state),
    ({ took }) => took(from, on, guard),
  );
  return {
    ...searched,
    check(exploration) {
      assertKnown(exploration, state, { from, on, ...(guard === undefined ? {} : { guard }) });
      const { starts, leaving, entered } = toLeafGraph(exploration.graph);
      const isInside = ({ path }: GraphState): boolean => path === state || path.startsWith(`${state}.`);
      const reached = new Set(starts);
      // a Set's iteration also visits items that are added during it
      for (const leaf of reached) {
        if (isInside(leaf)) return searched.check(exploration);
        for (const { from: source, edge } of leaving(leaf)) {
          if (source === from && edge.on === on && (guard === undefined || edge.guard === guard)) continue;
          for (const next of entered(edge)) reached.add(next);
        }
      }
      return { verdict: 'holds' };
    },
  };
}

function assertKnown<TState>({ graph: { id, states } }: Exploration<TState>, state: string, { from, on, guard }: TakenEdge): void {
  const isEdge = states.some(
    ({ path, edges }) => path === from && edges.some((edge) => edge.on === on && (guard === undefined || edge.guard === guard)),
  );
  if (isEdge && states.some(({ path }) => path === state)) return;
  const missing = isEdge ? `state "${state}"` : `edge "${from} --${on}${guard === undefined ? '' : ` [${guard}]`}"`;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The machine "${id}" has no ${missing}.`,
    hint: 'Use the paths and names of the graph, as `agent-machines draw` shows them.',
  });
}
