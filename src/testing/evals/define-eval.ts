import type { ChatModel } from '../../core/ports/chat-model.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { checkOptions, count, fn, list, optionInvalid, required, text } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { PriceTable } from '../../core/util/model-cost.ts';
import type { AnyWorkflow, InputOf, OutputOf } from '../../engine/define/define-workflow.ts';
import { type EvalCase, isEvents, isTexts } from './eval-case.ts';
import type { Grader } from './grader.ts';

/** Services of the workflow under test. */
export interface EvalKit {
  /** Records a tool's results with the model's replies. A replay returns them and does not call the tool. */
  tool<TTool extends Tool>(tool: TTool): TTool;
  /** Clock of the run, for tools that read the date, such as `getCurrentDatetime({ clock })`. */
  readonly clock: Clock;
  /**
   * Records the replies of one more model, for a workflow with several.
   *
   * @param label name of the model in the recording.
   * @param create creates the model; called only to record.
   */
  model(label: string, create: () => ChatModel): ChatModel;
}

/** An eval: a workflow, its cases and how its runs are graded. `TWorkflow` and `TExpected` come from the fields. */
export interface EvalDefinition<TWorkflow extends AnyWorkflow = AnyWorkflow, TExpected = unknown> {
  readonly name: string;
  /** Creates the workflow with the given model, once for each run. Its tools really run, unless `kit.tool` wraps them. */
  workflow(model: ChatModel, kit: EvalKit): TWorkflow | Promise<TWorkflow>;
  /** The cases, or a `.jsonl` or `.csv` file that the command line reads, relative to the file of the eval. */
  readonly cases: readonly EvalCase<InputOf<TWorkflow>, TExpected>[] | string;
  readonly graders: readonly Grader<OutputOf<TWorkflow>, TExpected>[];
  /** Number of runs of each case, which are averaged. @default 1 */
  readonly repeats?: number;
  /** Least mean of each grader, from 0 to 1, or by the grader's name. A grader without one has 1. @default 1 */
  readonly threshold?: number | Readonly<Record<string, number>>;
  /**
   * Creates the model to record with. Default: that of the command line.
   * @param name of `--model` or `--models`; absent if neither is given.
   */
  model?(name?: string): ChatModel | Promise<ChatModel>;
  /** Date of all runs, because requests often contain it. @default 2026-01-01T00:00:00Z */
  readonly date?: Date;
  /** Prices in US dollars, for `cost`. */
  readonly prices?: PriceTable;
  /** Converts the output of a stored run to `expected` of a case. Default: the whole output. */
  expectedFromOutput?(output: OutputOf<TWorkflow>): TExpected;
}

/** An eval of any workflow. */
export type AnyEval = EvalDefinition;

const share = { what: 'a number from 0 to 1, or one for each grader by its name', is: isThreshold };

function isThreshold(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every((inner) => typeof inner === 'number' && isThreshold(inner));
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/**
 * Defines an eval. `agent-machines eval FILE` runs the default export of a file.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a missing or unknown field, no cases, two cases or graders of one name, and a threshold of an
 * unknown grader.
 * @example
 * export default defineEval({
 *   name: 'sums',
 *   workflow: (model) => toolAgent({ model, tools: [calculator()] }),
 *   cases: [{ name: 'small', input: { input: 'What is 6 * 7?' }, expected: 42 }],
 *   graders: [contains('answer'), atMost('modelCalls', 2)],
 * });
 */
export function defineEval<TWorkflow extends AnyWorkflow, TExpected = unknown>(
  definition: EvalDefinition<TWorkflow, TExpected>,
): EvalDefinition<TWorkflow, TExpected> {
  checkOptions('defineEval', definition, {
    name: required(text),
    workflow: required(fn),
    cases: required({ what: 'an array of cases, or a file', is: (value) => list.is(value) || text.is(value) }),
    graders: required(list),
    repeats: count,
    threshold: share,
    model: fn,
    date: { what: 'a valid Date', is: (value) => value instanceof Date && !Number.isNaN(value.getTime()) },
    prices: { what: 'an object', is: isObject },
    expectedFromOutput: fn,
  });
  const { name, cases, graders, threshold } = definition;
  if (name.trim() === '') throw optionInvalid('The eval has no name.', 'Name it.');
  for (const grader of graders) checkGrader(grader);
  assertDistinct('graders', graders);
  if (graders.length === 0) throw optionInvalid(`The eval "${name}" has no graders.`, "Add one, such as contains('answer').");
  if (typeof threshold === 'object') {
    const names = graders.map((grader) => grader.name);
    checkOptions(`threshold of "${name}"`, threshold, Object.fromEntries(names.map((each) => [each, share])));
  }
  if (typeof cases !== 'string') checkCases(name, cases);
  return definition;
}

function checkGrader(grader: unknown): void {
  if (isObject(grader) && typeof grader.name === 'string' && typeof grader.grade === 'function') return;
  throw optionInvalid(
    'A grader is not an object with { name, grade }.',
    "For a function of your own, use grader('name', (seen, one) => true).",
  );
}

/** @throws {WorkflowError} `OPTION_INVALID` for no cases, one without a name, or two of one name. */
export function checkCases(name: string, cases: readonly EvalCase[]): void {
  if (cases.length === 0) throw optionInvalid(`The eval "${name}" has no cases.`, 'Add at least one.');
  for (const [index, one] of cases.entries()) {
    checkOptions(`case ${index + 1}`, one, {
      name: required({ what: 'a text that is not empty', is: (value) => typeof value === 'string' && value.trim() !== '' }),
      input: { what: 'a value', is: () => true },
      expected: { what: 'a value', is: () => true },
      answers: { what: 'an array of events, each { type: … }', is: isEvents },
      path: { what: 'an array of edges', is: isTexts },
      finalState: text,
    });
  }
  assertDistinct('cases', cases);
}

function assertDistinct(what: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) throw optionInvalid(`Two ${what} have the name "${name}".`, 'Give each its own name.');
    seen.add(name);
  }
}

export const thresholdOf = ({ threshold = 1 }: Pick<AnyEval, 'threshold'>, grader: string): number =>
  typeof threshold === 'number' ? threshold : (threshold[grader] ?? 1);
