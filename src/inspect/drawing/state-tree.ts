import { type GraphState, type MachineGraph, targetsOf } from '../../engine/define/graph.ts';

/** State with its children, in drawing order. */
export interface TreeState {
  readonly path: string;
  /** Absent for the root, which is the machine itself. */
  readonly state?: GraphState;
  readonly parent?: TreeState;
  /** Number of ancestors. */
  readonly depth: number;
  readonly initial: boolean;
  /** True if all children are active at once. The root is parallel if it has no initial state. */
  readonly parallel: boolean;
  readonly children: readonly TreeState[];
}

/** Converts the states of a machine to a tree. */
export function toTree(graph: MachineGraph): TreeState {
  const states = graph.states.filter(({ path, parent }) => path !== '' && path !== parent);
  const childrenOf = Map.groupBy(states, ({ parent }) => parent);
  const build = (state: GraphState | undefined, parent: TreeState | undefined): TreeState => {
    const initial = state ? state.initial : graph.initial;
    const children: TreeState[] = [];
    const tree: TreeState = {
      path: state?.path ?? '',
      depth: parent ? parent.depth + 1 : 0,
      initial: state !== undefined && (parent?.state ? parent.state.initial : graph.initial) === state.path,
      parallel: state ? state.kind === 'parallel' : graph.initial === '',
      children,
      ...(state ? { state } : {}),
      ...(parent ? { parent } : {}),
    };
    for (const child of inOrder(childrenOf.get(tree.path) ?? [], initial)) children.push(build(child, tree));
    return tree;
  };
  return build(undefined, undefined);
}

/**
 * Keeps the order of declaration, with the initial state first and history states last. A final state moves behind the first state that leads to it and not to its
 * own successor. Ends thus appear where they are reached.
 */
function inOrder(declared: readonly GraphState[], initial: string | undefined): readonly GraphState[] {
  const first = declared.filter(({ path }) => path === initial);
  const others = declared.filter(({ path }) => path !== initial);
  const ordered = [...first, ...others.filter(({ history }) => !history), ...others.filter(({ history }) => history)];
  for (const final of declared.filter(({ kind }) => kind === 'final')) {
    const rest = ordered.filter((state) => state !== final);
    const before = rest.findIndex((state, index) => leads(state, final) && !leads(state, rest[index + 1]));
    if (before >= 0) ordered.splice(0, ordered.length, ...rest.toSpliced(before + 1, 0, final));
  }
  return ordered;
}

const leads = ({ edges }: GraphState, to: GraphState | undefined): boolean =>
  to !== undefined && edges.some((edge) => edge.on !== 'error' && targetsOf(edge).includes(to.path));

/** Returns all descendants of a state in drawing order, parents first. */
export const descendants = (state: TreeState): readonly TreeState[] => state.children.flatMap((child) => [child, ...descendants(child)]);

export const isGroup = ({ children }: TreeState): boolean => children.length > 0;

/** True when a state is `other` or one of its descendants. */
export const isInside = (state: TreeState | undefined, other: TreeState): boolean =>
  state !== undefined && (state === other || isInside(state.parent, other));
