import type { EvalComparison, EvalReport, EvalRow } from 'agent-machines/evals';
import { shellWord } from './shell-words.ts';
import { breakAt, escapeControls, milliseconds, oneLine, paint, print, table, wrap } from './terminal.ts';

/** Maximum number of failed runs or changed cases that are listed. */
const longestList = 20;
const longestHints = 3;

/** Prints the scores of an eval, and the runs that did not pass. @param file of the eval, as typed. */
export function printReport(report: EvalReport, file: string): void {
  const { rows, graders, repeats, model } = report;
  const cases = new Set(rows.map((row) => row.case)).size;
  const runs = repeats === 1 ? '' : ` × ${repeats}`;
  print(
    escapeControls(
      `${report.eval}: ${report.workflow}, ${cases} ${cases === 1 ? 'case' : 'cases'}${runs}${model === undefined ? '' : `, ${model}`}`,
    ),
  );
  const body = graders.map(({ name, mean, passed, runs: all, threshold, ok, isTiming }) => [
    name,
    share(mean),
    `${passed}/${all}`,
    isTiming ? slowest(rows) : ok ? 'ok' : `below ${share(threshold)}`,
  ]);
  print(table([['GRADER', 'MEAN', 'PASSED', ''], ...body], breakAt(process.stdout)));
  print(oneLine(totalsOf(rows)));
  const low = rows.filter(
    (row) => row.error !== undefined || graders.some(({ name, isTiming }) => !isTiming && (row.scores[name]?.score ?? 0) < 1),
  );
  if (low.length > 0) print('');
  for (const row of low.slice(0, longestList)) printLow(row, report);
  if (low.length > longestList) print(`… and ${low.length - longestList} more`);
  const hints = new Set(low.flatMap(({ error }) => error?.hint ?? []));
  for (const hint of [...hints].slice(0, longestHints)) print(oneLine(hint.replace('FILE', shellWord(file))));
}

function printLow(row: EvalRow, { graders, repeats }: EvalReport): void {
  const name = repeats === 1 ? row.case : `${row.case} #${row.repeat + 1}`;
  const lines = row.error
    ? [`${row.error.code}: ${row.error.message}`]
    : graders.flatMap(({ name: grader }) => {
        const { score = 0, why } = row.scores[grader] ?? {};
        return score < 1 ? [`${grader} ${share(score)}${why === undefined ? '' : `: ${why}`}`] : [];
      });
  print(`${paint('red', '✗')} ${oneLine(name)}`);
  for (const line of lines) print(wrap(`  ${oneLine(line)}`, breakAt(process.stdout), 4).join('\n'));
}

function totalsOf(rows: readonly EvalRow[]): string {
  const sum = (of: (row: EvalRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const costs = rows.flatMap(({ costUsd }) => costUsd ?? []);
  const money = costs.length === rows.length && rows.length > 0 ? `, $${sum(({ costUsd = 0 }) => costUsd).toFixed(4)}` : '';
  const tokens = sum(({ usage }) => usage.inputTokens + usage.outputTokens);
  return `${sum(({ modelCalls }) => modelCalls)} model calls, ${tokens} tokens${money}, ${milliseconds(sum(({ durationMs }) => durationMs))} of runs`;
}

const slowest = (rows: readonly EvalRow[]): string => `slowest ${milliseconds(Math.max(0, ...rows.map(({ durationMs }) => durationMs)))}`;

/** Prints a comparison: a row for each grader, then the cases that changed. */
export function printComparison(
  { graders, changed, cases, onlyBefore, onlyAfter }: EvalComparison,
  names: { readonly before: string; readonly after: string },
): void {
  print('');
  print(escapeControls(`${names.before} → ${names.after}, ${cases} ${cases === 1 ? 'case' : 'cases'} in both`));
  const body = graders.map(({ name, before, after, interval: [low, high], wins, losses, adjustedP, verdict }) => [
    name,
    share(before),
    share(after),
    `${signed(low)} to ${signed(high)}`,
    `${wins}:${losses}`,
    adjustedP < 0.001 ? '< 0.001' : adjustedP.toFixed(3),
    verdict === 'too few cases' ? 'too few cases to tell' : verdict,
  ]);
  print(table([['GRADER', 'BEFORE', 'AFTER', '95 % INTERVAL', 'UP:DOWN', 'P', 'VERDICT'], ...body], breakAt(process.stdout)));
  for (const one of changed.slice(0, longestList)) {
    const why = one.why === undefined ? '' : `: ${one.why}`;
    print(
      `${one.after > one.before ? '↑' : '↓'} ${oneLine(`${one.case}  ${one.grader} ${share(one.before)} → ${share(one.after)}${why}`)}`,
    );
  }
  if (changed.length > longestList) print(`… and ${changed.length - longestList} more`);
  if (onlyBefore.length > 0) print(oneLine(`Only in ${names.before}: ${onlyBefore.join(', ')}`));
  if (onlyAfter.length > 0) print(oneLine(`Only in ${names.after}: ${onlyAfter.join(', ')}`));
}

const share = (value: number): string => value.toFixed(2);
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
