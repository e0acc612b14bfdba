import { type GraphEdge, targetsOf } from '../../engine/define/graph.ts';

/** Kinds of wrong edges, and of other wrong parts. */
export type MutationKind =
  | 'guard negated'
  | 'guard dropped'
  | 'guard off by one'
  | 'edge dropped'
  | 'edge retargeted'
  | 'edges swapped'
  | 'reducer dropped'
  | 'reducer keeps the old value'
  | 'reducer arguments swapped'
  | 'event change dropped'
  | 'event change loses a key'
  | 'failure change dropped'
  | 'failure change loses a key'
  | 'timer longer'
  | 'region dropped'
  | 'output dropped'
  | 'output loses a key';

/** Guard of an edge: a guard of the machine, its negation, or one that reads a shifted number. */
export interface Question {
  readonly guard: string;
  readonly shift?: { readonly path: string; readonly by: 1 | -1 };
  readonly negated: boolean;
}

/** An edge of a mutant: its targets and its guard. */
export interface MutantEdge {
  readonly edge: GraphEdge;
  readonly question: Question | undefined;
}

/** One mutation of the edges for the same event. */
export interface Mutation {
  readonly kind: MutationKind;
  /** Index of the mutated edge. */
  readonly at: number;
  readonly detail: string;
  readonly rivals: readonly MutantEdge[];
}

/** Returns the guard's name and its mutation. */
export const nameOfQuestion = ({ guard, shift, negated }: Question): string =>
  `${negated ? 'not ' : ''}${guard}${shift ? ` with ${shift.path} ${shift.by > 0 ? '+' : '-'} 1` : ''}`;

const toMutantEdge = (edge: GraphEdge): MutantEdge => ({
  edge,
  question: edge.guard === undefined ? undefined : { guard: edge.guard, negated: false },
});

interface HeadingContext {
  /** Path of the state that has the edges. */
  readonly state: string;
  /** Returns the paths of a state's siblings. */
  siblings(path: string): readonly string[];
  /** Returns the paths of the numbers that a guard reads. */
  numbers(guard: string): readonly string[];
}

/** Generates all mutations of the edges for one event. Each behaviour appears once, and none equals the original. */
export function* mutationsOf(edges: readonly GraphEdge[], around: HeadingContext): Generator<Mutation> {
  const rivals = edges.map(toMutantEdge);
  const seen = new Set([decisionsOf(rivals)]);
  for (const mutation of allMutations(rivals, around)) {
    const decisions = decisionsOf(mutation.rivals);
    if (seen.has(decisions)) continue;
    seen.add(decisions);
    yield mutation;
  }
}

function* allMutations(rivals: readonly MutantEdge[], around: HeadingContext): Generator<Mutation> {
  for (const [at, rival] of rivals.entries()) {
    const { question } = rival;
    const put = (kind: MutationKind, detail: string, changed: Partial<MutantEdge>): Mutation => ({
      kind,
      at,
      detail,
      rivals: rivals.with(at, { ...rival, ...changed }),
    });
    if (question) {
      yield put('guard negated', '', { question: { ...question, negated: true } });
      yield put('guard dropped', '', { question: undefined });
      for (const path of around.numbers(question.guard)) {
        for (const by of [1, -1] as const) {
          const shifted = { ...question, shift: { path, by } };
          yield put('guard off by one', nameOfQuestion(shifted), { question: shifted });
        }
      }
    }
    yield { kind: 'edge dropped', at, detail: '', rivals: rivals.toSpliced(at, 1) };
    for (const edge of retargeted(rival.edge, around)) yield put('edge retargeted', targetsOf(edge).join(' and '), { edge });
  }
  yield* swaps(rivals);
}

/** Returns the edge with each sibling of its target instead; for an edge without a target, with its own state and that state's siblings. */
function retargeted(edge: GraphEdge, { state, siblings }: HeadingContext): readonly GraphEdge[] {
  const targets = targetsOf(edge);
  const lead = (to: readonly string[]): GraphEdge => {
    const { target: _one, targets: _all, ...rest } = edge;
    const [first] = to;
    // without `reenter`, an edge to its own state would block the run instead of leading to a wrong target
    return {
      ...rest,
      ...(first === undefined ? {} : { target: first }),
      ...(to.length > 1 ? { targets: to } : {}),
      reenter: edge.reenter || to.includes(state),
    };
  };
  if (targets.length === 0) return [state, ...siblings(state)].map((path) => lead([path]));
  return targets.flatMap((target, index) => siblings(target).map((path) => lead(targets.with(index, path))));
}

/** Swaps the order of two edges, and the targets of two edges. */
function* swaps(rivals: readonly MutantEdge[]): Generator<Mutation> {
  for (const [at, one] of rivals.entries()) {
    for (const [later, other] of rivals.entries()) {
      if (later <= at) continue;
      const detail = `with the edge to ${targetsOf(other.edge).join(' and ') || 'nowhere'}`;
      yield { kind: 'edges swapped', at, detail: `${detail}, in order`, rivals: rivals.with(at, other).with(later, one) };
      const [first, second] = [
        { ...one, edge: other.edge },
        { ...other, edge: one.edge },
      ];
      yield { kind: 'edges swapped', at, detail: `${detail}, in target`, rivals: rivals.with(at, first).with(later, second) };
    }
  }
}

/** Returns the edges taken for each combination of guard results. Lists with equal decisions have equal results. */
function decisionsOf(rivals: readonly MutantEdge[]): string {
  const [first, ...rest] = rivals;
  if (!first) return 'stuck';
  const asked = [...new Set(rivals.flatMap(({ question }) => (question ? [symbolOf(question)] : [])))].sort();
  const { edge, question } = first;
  if (!question) return JSON.stringify([targetsOf(edge), edge.reenter, edge.actions]);
  const [symbol = ''] = asked;
  const when = (answer: boolean): string => decisionsOf(answered([first, ...rest], symbol, answer));
  const [yes, no] = [when(true), when(false)];
  return yes === no ? yes : `(${symbol} ? ${yes} : ${no})`;
}

/** Returns the edges that are left once a guard's result is known. */
const answered = (rivals: readonly MutantEdge[], symbol: string, answer: boolean): readonly MutantEdge[] =>
  rivals.flatMap((rival) => {
    if (!rival.question || symbolOf(rival.question) !== symbol) return [rival];
    return answer === rival.question.negated ? [] : [{ ...rival, question: undefined }];
  });

const symbolOf = (question: Question): string => nameOfQuestion({ ...question, negated: false });
