import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import type { Exploration, ExploredMove, ExploredState } from '../explore/exploration.ts';
import type { Tape, TapeAct } from './tape.ts';
import type { Walk, WalkPosition } from './walk.ts';

/** Returns the path of one run as an exploration without other places, for checks of invariants. */
export function tapePath(walk: Walk, workflow: AnyWorkflow, graph: MachineGraph, { input, acts }: Tape): Exploration<unknown> {
  const states: ExploredState<unknown>[] = [];
  const moves: ExploredMove<unknown>[] = [];
  const arrive = (at: WalkPosition): ExploredState<unknown> => {
    const { where, state, waits, done } = at.position;
    const index = states.length;
    const working = at.working.map(({ path }) => path);
    const explored = { index, where, state, working, waiting: waits.map(({ path }) => path), done, depth: index };
    states.push(explored);
    return explored;
  };
  const start = walk.begin(input);
  let at = start;
  let from = arrive(start);
  for (const act of acts) {
    const next = walk.act(at, act);
    if (!next) break;
    const to = arrive(next);
    const left = at.working.filter((work) => !next.working.includes(work) && !('node' in act && act.node === work.path));
    moves.push({
      from,
      to,
      ...endedBy(act, at),
      edges: next.move.edges,
      stopped: left.map(({ path }) => path),
      state: next.position.state,
    });
    [at, from] = [next, to];
  }
  const edgesTaken = [...start.move.edges, ...moves.flatMap(({ edges }) => edges)];
  return {
    workflow,
    graph,
    states,
    moves,
    complete: false,
    bound: { maxStates: states.length },
    cutOff: ['all runs but one'],
    gaps: [],
    abstraction: [],
    assumptions: [],
    outcomes: new Map(),
    edgesTaken,
    edgesNeverTaken: [],
    stuck: [],
    failures: [],
    pathTo: ({ index }) => moves.slice(0, index),
  };
}

/** Returns the description of an act in a path. */
function endedBy(act: TapeAct, { position }: WalkPosition): Pick<ExploredMove, 'by' | 'kind' | 'outcome'> {
  if ('timer' in act) return { by: act.timer.replace(/ .*/, ''), kind: 'timer', outcome: act.timer.replace(/^\S+ /, '') };
  if ('event' in act) {
    const wait = position.waits.find(({ accepts }) => accepts.includes(act.event.type));
    const { type, ...payload } = act.event;
    const said = Object.keys(payload).length === 0 ? type : `${type} ${JSON.stringify(payload)}`;
    return { by: wait?.path ?? position.where, kind: 'wait', outcome: said };
  }
  return { by: act.node, kind: 'node', outcome: 'patch' in act ? JSON.stringify(act.patch) : act.error };
}
