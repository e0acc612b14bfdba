import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AnyEval, CassetteMode, EvalComparison, EvalReport, Tape } from 'agent-machines/evals';
import type { ChatModel, RunRating } from '../index.ts';
import { pruneTape } from '../testing/evals/tape.ts';
import { type Cassette, openCassette } from './cassette-file.ts';
import { baselineOf } from './eval-baseline.ts';
import { type LoadedEval, loadEval } from './eval-file.ts';
import { printComparison, printReport } from './eval-tables.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommonFlags } from './flags.ts';
import { toSettings } from './flags.ts';
import type { ModelFlags } from './model-flags.ts';
import { modelOf } from './model-of.ts';
import type { Settings } from './settings.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface EvalFlags extends ModelFlags, Pick<Settings, 'model' | 'baseUrl'>, Partial<CommonFlags> {
  readonly record?: boolean;
  readonly auto?: boolean;
  /** Path of the JUnit file to write. */
  readonly junit?: string;
  /** Text that the names of the cases to run contain. */
  readonly only?: string;
  readonly concurrency: number;
  /** True lets graders of time count. */
  readonly timings?: boolean;
  /** Git ref, or file with the JSON of an earlier run, to compare with. */
  readonly against?: string;
  /** Names of models, with commas. */
  readonly models?: string;
  readonly failOnRegression?: boolean;
  readonly fromRuns?: boolean;
  readonly since?: number;
  readonly rated?: RunRating;
  readonly limit: number;
  readonly out?: string;
  readonly personalData?: boolean;
}

/**
 * Runs an eval and prints its result. Exit code 1 if a grader is below its threshold, or, with `failOnRegression`, worse than before.
 *
 * @throws {UsageError} for flags that exclude each other, and a file that is no eval.
 */
export async function runEvalFile(file: string, flags: EvalFlags): Promise<number> {
  checkFlags(flags);
  const loaded = await loadEval(file);
  if (flags.fromRuns) {
    const { writeCases } = await import('./eval-from-runs.ts');
    return writeCases(loaded, flags);
  }
  const { json = false, junit, against, models, failOnRegression = false, timings = false } = flags;
  const evals = await import('../testing/evals/index.ts');
  const stopping = stopOnSignal();
  try {
    const names = models === undefined ? [undefined] : modelNames(models);
    const reports: EvalReport[] = [];
    if (against !== undefined) reports.push(await baselineOf(against, loaded, flags, stopping.signal));
    for (const name of names) reports.push(await evaluate(evals, loaded, flags, name, stopping.signal));
    const [first, ...others] = reports;
    const last = reports.at(-1);
    if (!first || !last) throw new UsageError('--models names no model.');
    const comparisons = others.map((report) => evals.compareEvals(first, report));
    if (junit !== undefined) await writeFile(junit, evals.evalJunit(last, { timings }));
    const shown = reports.map((report) => evals.evalJson(report, { timings }));
    const base = against === undefined ? {} : { against: /\.json$/.test(against) ? basename(against) : against };
    if (json) print(printableJson(comparisons.length === 0 ? shown[0] : { ok: last.ok, ...base, reports: shown, comparisons }));
    else printAll(reports, comparisons, { against, file });
    const isWorse = comparisons.some(({ graders }) => graders.some(({ verdict }) => verdict === 'worse'));
    return last.ok && !(failOnRegression && isWorse) ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (stopping.signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    exitSoon();
    stopping.end();
  }
}

/** A file may leave connections open, which would keep the process alive after its result. */
function exitSoon(): void {
  setTimeout(() => process.stdout.write('', () => process.exit()), longestLingerMs).unref();
}

const longestLingerMs = 1_000;

function checkFlags({ record, auto, against, models, failOnRegression, fromRuns }: EvalFlags): void {
  if (record && auto) throw new UsageError('--record and --auto exclude each other: --auto records only what the cassette lacks.');
  if (against !== undefined && models !== undefined) throw new UsageError('--against and --models exclude each other.');
  if (failOnRegression && against === undefined && models === undefined) {
    throw new UsageError('--fail-on-regression needs something to compare with: --against or --models.');
  }
  if (fromRuns && (record || auto || against !== undefined || models !== undefined)) {
    throw new UsageError('--from-runs writes cases and runs none. Run the eval afterwards.');
  }
}

function modelNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.length < 2 || names.includes('') || new Set(names).size < names.length) {
    throw new UsageError('--models needs at least two names, such as --models gpt-5-mini,gpt-5.');
  }
  return names;
}

const modeOf = ({ record, auto }: EvalFlags): CassetteMode => (record ? 'record' : auto ? 'auto' : 'replay');

type Evals = typeof import('../testing/evals/index.ts');

/** Runs the eval with one model, and stores what it has recorded after each run. */
async function evaluate(
  evals: Evals,
  { definition, path }: LoadedEval,
  flags: EvalFlags,
  name: string | undefined,
  signal: AbortSignal,
): Promise<EvalReport> {
  const mode = modeOf(flags);
  const chosen = chooseCases(definition, flags.only);
  const cassette = await openCassette(path, name, mode, evals);
  const model = mode === 'replay' ? undefined : await recordingModel(definition, flags, name);
  const report = await evals.runEval(chosen, {
    tape: cassette.tape,
    mode,
    ...(model ? { model } : {}),
    concurrency: flags.concurrency,
    timings: flags.timings === true,
    signal,
    onRow: () => cassette.save(),
  });
  await finish(cassette, chosen, flags, mode);
  return report;
}

async function finish(cassette: Cassette, { cases, repeats = 1 }: AnyEval, flags: EvalFlags, mode: CassetteMode): Promise<void> {
  if (mode === 'replay') return;
  if (mode === 'record' && flags.only === undefined && typeof cases !== 'string') {
    pruneTape(
      cassette.tape,
      cases.map((one) => one.name),
      repeats,
    );
  }
  await cassette.save(true);
  process.stderr.write(`Recorded in ${basename(cassette.path)}: ${countReplies(cassette.tape)} replies.\n`);
}

const countReplies = ({ cases }: Tape): number => [...cases.values()].reduce((sum, entries) => sum + entries.length, 0);

function chooseCases(definition: AnyEval, only: string | undefined): AnyEval {
  const { cases } = definition;
  if (only === undefined || typeof cases === 'string') return definition;
  const chosen = cases.filter(({ name }) => name.includes(only));
  if (chosen.length > 0) return { ...definition, cases: chosen };
  throw new UsageError(`No case of "${definition.name}" has "${only}" in its name.`);
}

async function recordingModel(definition: AnyEval, flags: EvalFlags, name: string | undefined): Promise<ChatModel> {
  const chosen = name ?? flags.model;
  if (definition.model) return definition.model(chosen);
  const model = await modelOf(toSettings({ ...flags, ...(chosen === undefined ? {} : { model: chosen }) }));
  if (model) return model;
  throw new UsageError(
    'To record, set OPENAI_API_KEY, pass --base-url of a compatible server, or give the eval a `model`. --model local finds one on this machine.',
  );
}

function printAll(
  reports: readonly EvalReport[],
  comparisons: readonly EvalComparison[],
  { against, file }: { readonly against: string | undefined; readonly file: string },
): void {
  for (const report of against === undefined ? reports : reports.slice(1)) printReport(report, file);
  for (const [index, comparison] of comparisons.entries()) {
    const before = against ?? reports[0]?.model ?? 'before';
    const after = against === undefined ? (reports[index + 1]?.model ?? 'after') : 'now';
    printComparison(comparison, { before, after });
  }
}
