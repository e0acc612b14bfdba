import type { MachineGraph } from '../../engine/define/graph.ts';
import type { EvalRun, EvalVersion } from '../../server/api/evals.ts';
import { own } from './form-of-schema.ts';
import { emptyView, type RunView } from './run-view.ts';

/** Change of a case between two versions. `mixed`: some graders rose and others fell. `apart`: only one of them has the case. */
export type EvalMark = 'worse' | 'mixed' | 'better' | 'apart' | 'same';

interface GraderScore {
  readonly grader: string;
  /** Mean over the repeats. */
  readonly score: number;
  /** First reason of a repeat. */
  readonly why?: string;
}

/** Runs of a case in one version. */
export interface CaseCell {
  readonly runs: readonly EvalRun[];
  readonly scores: readonly GraderScore[];
  /** Number of runs to which every grader gives 1. */
  readonly passed: number;
  /** Change from the version to the left; absent in the first one. */
  readonly mark?: EvalMark;
}

/** A case in all versions. */
export interface CaseRow {
  readonly name: string;
  /** In the order of the versions. */
  readonly cells: readonly CaseCell[];
  /** Change between the two chosen versions. */
  readonly mark: EvalMark;
}

const order: readonly EvalMark[] = ['worse', 'mixed', 'better', 'apart', 'same'];

/** Returns the cases of an eval: changed ones first, then failed ones, then the others, each in the order of the newest version. */
export function caseRows(
  reports: readonly EvalVersion[],
  before: EvalVersion | undefined,
  after: EvalVersion | undefined,
): readonly CaseRow[] {
  const cases = reports.map(({ runs }) => Map.groupBy(runs, (run) => run.case));
  const names = [...new Set(cases.toReversed().flatMap((one) => [...one.keys()]))];
  const rows = names.map((name): CaseRow => {
    const plain = reports.map((report, index) => cellOf(report, cases[index]?.get(name) ?? []));
    const cells = plain.map((cell, index) => {
      const left = plain[index - 1];
      return left ? { ...cell, mark: markOf(left, cell) } : cell;
    });
    const cellIn = (report: EvalVersion | undefined): CaseCell => (report && cells[reports.indexOf(report)]) ?? noCell;
    return { name, cells, mark: before ? markOf(cellIn(before), cellIn(after)) : 'same' };
  });
  const rank = ({ mark, cells }: CaseRow): number => order.indexOf(mark) + (mark === 'same' && !cells.some(isFailed) ? 1 : 0);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

const noCell: CaseCell = { runs: [], scores: [], passed: 0 };

export const isFailed = ({ runs, passed }: CaseCell): boolean => passed < runs.length;

function cellOf({ graders }: EvalVersion, runs: readonly EvalRun[]): CaseCell {
  const scores = graders.map(({ name: grader }): GraderScore => {
    const found = runs.map((run) => scoreOf(run, grader));
    const why = found.find((one) => one?.why !== undefined)?.why;
    const score = found.reduce((sum, one) => sum + (one?.score ?? 0), 0) / Math.max(1, runs.length);
    return { grader, score, ...(why === undefined ? {} : { why }) };
  });
  return { runs, scores, passed: runs.filter((run) => graders.every(({ name }) => scoreOf(run, name)?.score === 1)).length };
}

/** A grader may be called `constructor`. */
const scoreOf = ({ scores }: EvalRun, grader: string): EvalRun['scores'][string] | undefined => own(scores, grader);

/** Compares the scores of the graders that both versions have. */
function markOf(before: CaseCell, after: CaseCell): EvalMark {
  if (before.runs.length === 0 && after.runs.length === 0) return 'same';
  if (before.runs.length === 0 || after.runs.length === 0) return 'apart';
  const differences = after.scores.flatMap(({ grader, score }) => {
    const other = before.scores.find((one) => one.grader === grader);
    return other ? [score - other.score] : [];
  });
  const [rose, fell] = [differences.some((by) => by > 0), differences.some((by) => by < 0)];
  if (rose && fell) return 'mixed';
  return fell ? 'worse' : rose ? 'better' : 'same';
}

/** View of the path of a run, as the machine shows it; `undefined` if the report does not hold its moves. */
export function pathView(run: Pick<EvalRun, 'moves'> | undefined): RunView | undefined {
  if (!run?.moves) return undefined;
  const moves = run.moves.map((move, index) => ({ ...move, at: 0, seq: index + 1 }));
  return { ...emptyView, seq: moves.length + 1, moves, active: moves.at(-1)?.to.split('|') ?? [] };
}

/** Returns the edges of a run that a machine does not have, because it is of another version. */
export function foreignEdges(run: Pick<EvalRun, 'moves'> | undefined, { states }: MachineGraph): readonly string[] {
  const known = new Set(states.flatMap(({ path, edges }) => edges.map(({ on, guard }) => JSON.stringify([path, on, guard]))));
  const foreign = (run?.moves ?? []).filter(({ from, on, guard }) => !known.has(JSON.stringify([from, on, guard])));
  return [...new Set(foreign.map(({ from, to }) => `${from} → ${to}`))];
}

/** A score with at most two decimals. */
export const shownScore = (score: number): string => String(Math.round(score * 100) / 100);
