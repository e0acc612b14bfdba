import { seededRandom } from '../../core/util/seeded-random.ts';
import type { EvalReport } from './eval-report.ts';
import { bootstrapInterval, holm, signTest } from './paired-test.ts';

/**
 * Verdict about a grader. `better` and `worse`: the bootstrap interval excludes 0 and the sign test, corrected for all graders, is below
 * 0.05. `same`: every case has the same score. `no difference found`: there may be one. `too few cases`: fewer than 30, so nothing can be
 * told.
 */
export type EvalVerdict = 'better' | 'worse' | 'same' | 'no difference found' | 'too few cases';

export interface GraderComparison {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** `after` minus `before`. */
  readonly difference: number;
  /** 95 % bootstrap interval of the difference, from 10,000 seeded draws. */
  readonly interval: readonly [low: number, high: number];
  /** Number of cases whose score rose. */
  readonly wins: number;
  /** Number of cases whose score fell. */
  readonly losses: number;
  /** Two-sided p-value of the exact sign test. */
  readonly p: number;
  /** The same, corrected for the number of graders by Holm's method. */
  readonly adjustedP: number;
  readonly verdict: EvalVerdict;
}

/** A case whose score for a grader has changed. */
export interface ChangedCase {
  readonly case: string;
  readonly grader: string;
  readonly before: number;
  readonly after: number;
  /** Reason of the lower score, if it has one. */
  readonly why?: string;
}

export interface EvalComparison {
  readonly eval: string;
  /** Number of cases in both reports. */
  readonly cases: number;
  readonly graders: readonly GraderComparison[];
  readonly changed: readonly ChangedCase[];
  /** Cases and graders that only one of the reports has. They are not compared. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
}

/** Smallest number of cases for a verdict. */
const fewestCases = 30;
const significance = 0.05;

/**
 * Compares two reports of an eval case by case; repeats of a case are averaged first. Graders of time are left out.
 *
 * @example compareEvals(await runEval(evalOfMain), await runEval(evalOfBranch)).graders[0]?.verdict
 */
export function compareEvals(before: EvalReport, after: EvalReport): EvalComparison {
  const [old, now] = [scoresOf(before), scoresOf(after)];
  const names = [...old.cases.keys()].filter((name) => now.cases.has(name));
  const graders = old.graders.filter((name) => now.graders.includes(name));
  const scoreIn = (scores: Scores, name: string, grader: string): CaseScore => scores.cases.get(name)?.get(grader) ?? { score: 0 };
  const rows = graders.map((grader) => {
    const pairs = names.map((name) => ({ name, old: scoreIn(old, name, grader), now: scoreIn(now, name, grader) }));
    const differences = pairs.map((pair) => pair.now.score - pair.old.score);
    return { grader, pairs, differences, ...signTest(differences) };
  });
  const adjusted = holm(rows.map(({ p }) => p));
  return {
    eval: after.eval,
    cases: names.length,
    graders: rows.map(({ grader, pairs, differences, wins, losses, p }, index): GraderComparison => {
      const interval = bootstrapInterval(differences, seededRandom(`${after.eval} ${grader}`));
      const adjustedP = adjusted[index] ?? 1;
      const verdict = verdictOf({ cases: names.length, wins, losses, interval, adjustedP });
      const [oldMean, newMean] = [mean(pairs.map((pair) => pair.old.score)), mean(pairs.map((pair) => pair.now.score))];
      return {
        name: grader,
        before: oldMean,
        after: newMean,
        difference: newMean - oldMean,
        interval,
        wins,
        losses,
        p,
        adjustedP,
        verdict,
      };
    }),
    changed: rows.flatMap(({ grader, pairs }) =>
      pairs.flatMap((pair): readonly ChangedCase[] => {
        if (pair.old.score === pair.now.score) return [];
        const { why } = pair.old.score < pair.now.score ? pair.old : pair.now;
        const reason = why === undefined ? {} : { why };
        return [{ case: pair.name, grader, before: pair.old.score, after: pair.now.score, ...reason }];
      }),
    ),
    onlyBefore: onlyIn(old, now),
    onlyAfter: onlyIn(now, old),
  };
}

interface CaseScore {
  readonly score: number;
  readonly why?: string;
}

interface Scores {
  readonly graders: readonly string[];
  /** Mean score of each case by grader. */
  readonly cases: ReadonlyMap<string, ReadonlyMap<string, CaseScore>>;
}

function scoresOf({ graders, rows }: EvalReport): Scores {
  const names = graders.filter(({ isTiming }) => !isTiming).map(({ name }) => name);
  const cases = new Map<string, Map<string, CaseScore>>();
  for (const [name, runs] of Map.groupBy(rows, (row) => row.case)) {
    const means = names.map((grader): [string, CaseScore] => {
      const score = mean(runs.map((run) => run.scores[grader]?.score ?? 0));
      const why = runs.map((run) => run.scores[grader]?.why).find((reason) => reason !== undefined);
      return [grader, { score, ...(why === undefined ? {} : { why }) }];
    });
    cases.set(name, new Map(means));
  }
  return { graders: names, cases };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const onlyIn = (one: Scores, other: Scores): readonly string[] => [
  ...[...one.cases.keys()].filter((name) => !other.cases.has(name)).map((name) => `case ${name}`),
  ...one.graders.filter((name) => !other.graders.includes(name)).map((name) => `grader ${name}`),
];

type Evidence = Pick<GraderComparison, 'wins' | 'losses' | 'interval' | 'adjustedP'> & { readonly cases: number };

function verdictOf({ cases, wins, losses, interval: [low, high], adjustedP }: Evidence): EvalVerdict {
  if (wins + losses === 0) return 'same';
  if (cases < fewestCases) return 'too few cases';
  if (adjustedP >= significance) return 'no difference found';
  if (low > 0 && wins > losses) return 'better';
  return high < 0 && losses > wins ? 'worse' : 'no difference found';
}
