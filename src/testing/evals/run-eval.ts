import type { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { ChatModel } from '../../core/ports/chat-model.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { asObject } from '../../core/util/as-object.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { didYouMean } from '../../core/util/nearest-name.ts';
import { quotedNames } from '../../core/util/shown-list.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { toGraph } from '../../engine/define/graph.ts';
import { type Cassette, type CassetteMode, openCassette } from './cassette.ts';
import { type AnyEval, checkCases, type EvalKit } from './define-eval.ts';
import type { EvalCase } from './eval-case.ts';
import { evalClock } from './eval-clock.ts';
import { type EvalReport, type EvalRow, toReport } from './eval-report.ts';
import type { GradeContext, Grader, Score } from './grader.ts';
import { checkEdges, machineEdges } from './machine-edges.ts';
import { movesOf, type Observed } from './observed.ts';
import { missError, runCase } from './run-case.ts';
import { adoptSlice, createTape, sliceOfTape, type Tape } from './tape.ts';

export interface RunEvalOptions {
  /** Model of the workflow. With a `tape`, the model to record with. */
  readonly model?: ChatModel;
  /** Recorded replies; a recording is added to it. Default: the model answers, and nothing is recorded. */
  readonly tape?: Tape;
  /** @default 'replay' */
  readonly mode?: CassetteMode;
  /** Maximum number of runs at a time. @default 4 */
  readonly concurrency?: number;
  /** True lets graders of time count. @default false */
  readonly timings?: boolean;
  /** Called after each run, when the tape has its replies. */
  readonly onRow?: (row: EvalRow) => void | Promise<void>;
  /** Cancels the runs; `runEval` rejects with the reason of the abort. */
  readonly signal?: AbortSignal;
}

const defaultDate = new Date('2026-01-01T00:00:00Z');

/**
 * Runs every case of an eval and grades it. Each run has a memory store and a clock of its own, and all have the same date. A run that
 * fails, or whose question has no answer, scores 0 on every grader, with the code of its error.
 *
 * @throws {WorkflowError} `OPTION_INVALID` before any run: for an edge, a tool or a final state that the workflow does not have, a missing
 * `expected` or `path`, and cases that name a file. Errors of `workflow` itself.
 * @example const report = await runEval(sums, { model: scriptedModel([{ reply: '42' }]) });
 */
export async function runEval(definition: AnyEval, options: RunEvalOptions = {}): Promise<EvalReport> {
  const { tape, model, mode = 'replay', concurrency = 4, timings = false, signal, onRow } = options;
  const { name, cases, graders, repeats = 1 } = definition;
  checkInteger('concurrency', concurrency, { min: 1, max: 1_000 });
  if (typeof cases === 'string') {
    throw optionInvalid(`The cases of "${name}" are the file ${cases}, which only the command line reads.`, 'Pass parseCases(text).');
  }
  checkCases(name, cases);
  const first = await definition.workflow(openCassette(createTape()).model(), kitOf(openCassette(createTape()), evalClock(0)));
  checkGraders(definition, cases, first);
  const recording = tape ? { tape, mode, model } : undefined;
  const jobs = cases.flatMap((one) => Array.from({ length: repeats }, (_, repeat) => ({ one, repeat })));
  const rows: EvalRow[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) {
      const job = jobs[at];
      if (!job) return;
      signal?.throwIfAborted();
      const row = await runJob(definition, { ...job, runId: `eval-${at + 1}` }, recording, options);
      signal?.throwIfAborted();
      rows[at] = row;
      await onRow?.(row);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
  const { id, version, machine } = first;
  const answering = mode === 'replay' && tape ? tape.models.get('main')?.name : model?.name;
  const named = { eval: name, workflow: id, version, ...(answering === undefined ? {} : { model: answering }), repeats };
  return toReport({ ...named, graph: toGraph(machine) }, rows, { graders, definition, timings });
}

interface Job {
  readonly one: EvalCase;
  readonly repeat: number;
  readonly runId: string;
}

interface Recording {
  readonly tape: Tape;
  readonly mode: CassetteMode;
  readonly model: ChatModel | undefined;
}

async function runJob(definition: AnyEval, job: Job, recording: Recording | undefined, options: RunEvalOptions): Promise<EvalRow> {
  const { one, repeat, runId } = job;
  const misses: WorkflowError[] = [];
  const onMiss = (miss: WorkflowError): number => misses.push(miss);
  let isComplete = true;
  const onUnrecorded = (): void => {
    isComplete = false;
  };
  // Without a tape, the model answers live; without a model either, every request is a miss.
  const { tape, mode, model } = recording ?? {
    tape: createTape(),
    mode: options.model ? ('record' as const) : ('replay' as const),
    model: options.model,
  };
  const slice = sliceOfTape(tape, one.name, repeat);
  const cassette = openCassette(slice, { mode, case: one.name, repeat, onMiss, onUnrecorded });
  const live = recording === undefined ? options.model : undefined;
  const clock = evalClock((definition.date ?? defaultDate).getTime());
  const kit = live ? liveKit(clock) : kitOf(cassette, clock);
  const workflow = await definition.workflow(live ?? cassette.model(model ?? noModel), kit);
  const seen = await runCase(workflow, one, { runId, clock, prices: definition.prices, signal: options.signal });
  const [miss] = misses;
  const error = miss ? missError(miss) : failureOf(seen, one);
  const scores = error
    ? zeroes(definition.graders, error)
    : await gradeAll(definition.graders, seen, one, contextOf(cassette, live, model));
  // a wrong key or a busy server must not delete what was recorded before
  if (recording && mode !== 'replay' && isComplete) adoptSlice(recording.tape, slice, one.name, repeat);
  const { events, error: _error, ...facts } = seen;
  return { case: one.name, repeat, ...facts, moves: movesOf(events), ...(error ? { error } : {}), scores };
}

const liveKit = (clock: Clock): EvalKit => ({ clock, tool: (tool) => tool, model: (_, create) => create() });

const kitOf = (cassette: Cassette, clock: Clock): EvalKit => ({
  clock,
  tool: (tool) => cassette.tool(tool),
  model: (label, create) => cassette.model(create, label),
});

function noModel(): never {
  throw optionInvalid('There is no model to record with.', 'Set OPENAI_API_KEY, pass --base-url, or give the eval a `model`.');
}

const contextOf = (cassette: Cassette, live: ChatModel | undefined, model: ChatModel | undefined): GradeContext => ({
  modelFor: (own) => {
    if (live) return own?.() ?? live;
    return own ? cassette.model(own, 'grader') : cassette.model(model ?? noModel);
  },
});

/** Returns the error of a run that counts as failed. */
function failureOf({ status, finalState, error }: Observed, { finalState: wanted }: EvalCase): Observed['error'] {
  if (wanted === undefined) return error;
  if (finalState === wanted) return undefined;
  if (error && finalState === undefined) return error;
  return { code: 'RUN_ENDED', message: `The run ended in ${finalState ?? status}, not in ${wanted}.` };
}

const zeroes = (graders: readonly Grader[], { code }: NonNullable<Observed['error']>): Readonly<Record<string, Score>> =>
  Object.fromEntries(graders.map(({ name }) => [name, { score: 0, why: code }]));

async function gradeAll(graders: readonly Grader[], seen: Observed, one: EvalCase, context: GradeContext): Promise<EvalRow['scores']> {
  const scores: [string, Score][] = [];
  for (const grader of graders) scores.push([grader.name, await gradeOne(grader, seen, one, context)]);
  return Object.fromEntries(scores);
}

async function gradeOne(grader: Grader, seen: Observed, one: EvalCase, context: GradeContext): Promise<Score> {
  try {
    const score = await grader.grade(seen, one, context);
    if (score.score >= 0 && score.score <= 1) return score;
    return { score: 0, why: `grader failed: its score is ${score.score}, not a number from 0 to 1` };
  } catch (thrown) {
    return { score: 0, why: `grader failed: ${messageOf(thrown)}` };
  }
}

/** Checks all that can be checked before a run is paid for. */
function checkGraders({ name, graders }: AnyEval, cases: readonly EvalCase[], workflow: AnyWorkflow): void {
  const machine = machineEdges(workflow.machine);
  const tools = toolsOf(workflow);
  for (const grader of graders) {
    checkEdges(`The grader "${grader.name}"`, grader.edges ?? [], machine);
    const { needs } = grader;
    const without = needs === undefined ? [] : cases.filter((one) => one[needs] === undefined);
    if (needs !== undefined && without.length > 0) {
      const names = quotedNames(without.map((one) => one.name));
      throw optionInvalid(
        `The grader "${grader.name}" of "${name}" needs \`${needs}\`, which is missing in ${names}.`,
        'Add it to these cases.',
      );
    }
    const unknown = tools && grader.tools?.find((tool) => !tools.includes(tool));
    if (tools && unknown !== undefined) {
      const hint = `${didYouMean(unknown, tools)}It has: ${tools.join(', ')}.`;
      throw optionInvalid(`The grader "${grader.name}" names the tool "${unknown}", which the workflow does not have.`, hint);
    }
  }
  for (const { name: one, path = [], finalState } of cases) {
    checkEdges(`The path of the case "${one}"`, path, machine);
    if (finalState !== undefined && !machine.finals.includes(finalState)) {
      throw optionInvalid(`The case "${one}" ends in "${finalState}", which is no final state.`, `There is: ${machine.finals.join(', ')}.`);
    }
  }
}

/** Parts of the fingerprint of a tool without a workflow. */
const withoutWorkflow = 3;

/** Names of the workflow's tools. `undefined` if it does not name them, or has workflows inside with tools of their own. */
function toolsOf(workflow: AnyWorkflow): readonly string[] | undefined {
  const { tools, workflows } = workflow.offer?.(null) ?? {};
  if (tools === undefined || workflows !== undefined) return undefined;
  const fingerprints = Object.entries(asObject(tools));
  const hasInner = fingerprints.some(([, print]) => Array.isArray(print) && print.length > withoutWorkflow);
  return hasInner ? undefined : fingerprints.map(([tool]) => tool);
}
