import type { MachineGraph } from '../../engine/define/graph.ts';
import { type AnyEval, thresholdOf } from './define-eval.ts';
import type { Grader, Score } from './grader.ts';
import type { EvalMove, Observed } from './observed.ts';

/** One run of a case, with its scores by grader. */
export interface EvalRow extends Omit<Observed, 'events'> {
  readonly case: string;
  /** Number of the repeat, from 0. */
  readonly repeat: number;
  /** The edges of `path` with their events and guards, as the studio draws them. Absent in reports of earlier releases. */
  readonly moves?: readonly EvalMove[];
  readonly scores: Readonly<Record<string, Score>>;
}

/** Result of a grader over all runs. */
export interface GraderResult {
  readonly name: string;
  /** Mean score, from 0 to 1. */
  readonly mean: number;
  /** Number of runs with a score of 1. */
  readonly passed: number;
  readonly runs: number;
  readonly threshold: number;
  /** False if the mean is below the threshold, and the grader counts. */
  readonly ok: boolean;
  /** True for a grader of time. */
  readonly isTiming?: boolean;
}

/** Result of an eval. Without `timings`, equal runs give an equal report, apart from `durationMs`. */
export interface EvalReport {
  readonly eval: string;
  readonly workflow: string;
  readonly version: string;
  /** Name of the model that answered. Absent: the workflow asked none, or nothing was recorded. */
  readonly model?: string;
  readonly repeats: number;
  readonly ok: boolean;
  readonly graders: readonly GraderResult[];
  /** In the order of the cases. */
  readonly rows: readonly EvalRow[];
  /** The machine that ran. Absent in reports of earlier releases. */
  readonly graph?: MachineGraph;
}

interface ReportContext {
  readonly graders: readonly Grader[];
  readonly definition: Pick<AnyEval, 'threshold'>;
  readonly timings: boolean;
}

type ReportHead = Pick<EvalReport, 'eval' | 'workflow' | 'version' | 'model' | 'repeats' | 'graph'>;

/** Means of fractions such as 0.1 are not exact. */
const tolerance = 1e-9;

export function toReport(head: ReportHead, rows: readonly EvalRow[], { graders, definition, timings }: ReportContext): EvalReport {
  const results = graders.map(({ name, isTiming = false }): GraderResult => {
    const scores = rows.map((row) => row.scores[name]?.score ?? 0);
    const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
    const threshold = thresholdOf(definition, name);
    return {
      name,
      mean,
      passed: scores.filter((score) => score === 1).length,
      runs: scores.length,
      threshold,
      ok: (isTiming && !timings) || mean >= threshold - tolerance,
      ...(isTiming ? { isTiming } : {}),
    };
  });
  const { graph, ...named } = head;
  return { ...named, ok: results.every(({ ok }) => ok), graders: results, rows, ...(graph ? { graph } : {}) };
}

/** Returns a report as JSON data. Without `timings`, durations and graders of time are left out, so that a replay gives equal JSON. */
export function evalJson(report: EvalReport, { timings = false }: { readonly timings?: boolean } = {}): EvalReport {
  if (timings) return report;
  const timed = new Set(report.graders.flatMap(({ name, isTiming }) => (isTiming ? [name] : [])));
  const rows = report.rows.map(({ scores, ...row }) => ({
    ...row,
    durationMs: 0,
    scores: Object.fromEntries(Object.entries(scores).filter(([name]) => !timed.has(name))),
  }));
  return { ...report, graders: report.graders.filter(({ name }) => !timed.has(name)), rows };
}
