import fc from 'fast-check';
import { checkInteger } from '../../core/util/check-integer.ts';
import type { AnyWorkflow, Workflow } from '../../engine/define/define-workflow.ts';
import type { Stepper } from '../../engine/drive/stepper.ts';
import { xstateStepper } from '../../engine/drive/xstate-stepper.ts';
import { type OutcomeArbitraries, type OutcomeOptions, outcomesOf } from './arbitrary-outcome.ts';
import type { Tape, TapeAct } from './tape.ts';
import { type Walk, type WalkPosition, walkOf } from './walk.ts';

export interface TapeOptions<TInput = unknown, TState = unknown> extends OutcomeOptions<TInput, TState> {
  /** Maximum number of acts; a run that has not ended by then stays where it is. @default 20 */
  readonly maxActs?: number;
}

/**
 * Runs of a workflow as data: outcomes of nodes, events of humans and timers, in order. A tape contains only possible acts: running nodes,
 * accepted events, the next timer.
 *
 * A tape shrinks by leaving out acts, together with those that depend on them. Patches, events and the input shrink, too.
 * @throws {WorkflowError} `OPTION_INVALID` if no run can begin without `input`.
 * @example fc.property(arbitraryTape(workflow), ({ acts }) => …)
 */
export function arbitraryTape<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  options: TapeOptions<TInput, TState> = {},
): fc.Arbitrary<Tape> {
  return tapesOf(workflow as AnyWorkflow, options as TapeOptions, xstateStepper(workflow.machine));
}

/** @param stepper Computes the position after each act. */
export function tapesOf(workflow: AnyWorkflow, options: TapeOptions, stepper: Stepper): fc.Arbitrary<Tape> {
  const maxActs = checkInteger('maxActs', options.maxActs ?? 20, { min: 1 });
  return new TapeArbitrary(walkOf(workflow, stepper), outcomesOf(workflow, options), maxActs);
}

interface ShrinkableAct {
  readonly act: TapeAct;
  smaller(): Iterable<ShrinkableAct>;
}

interface Origin {
  readonly input: fc.Value<unknown>;
  readonly cells: readonly ShrinkableAct[];
}

class TapeArbitrary extends fc.Arbitrary<Tape> {
  readonly #walk: Walk;
  readonly #outcomes: OutcomeArbitraries;
  readonly #maxActs: number;

  constructor(walk: Walk, outcomes: OutcomeArbitraries, maxActs: number) {
    super();
    this.#walk = walk;
    this.#outcomes = outcomes;
    this.#maxActs = maxActs;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Tape> {
    const input = this.#outcomes.input.generate(random, bias);
    const cells: ShrinkableAct[] = [];
    let at = this.#walk.begin(input.value);
    while (!at.position.done && cells.length < this.#maxActs) {
      const possible = this.#possible(at);
      const choice = possible[possible.length === 0 ? 0 : random.nextInt(0, possible.length - 1)];
      const cell = choice?.(random, bias);
      const next = cell && this.#walk.act(at, cell.act);
      if (!cell || !next) break;
      cells.push(cell);
      at = next;
    }
    return toValue({ input, cells });
  }

  #possible(at: WalkPosition): readonly ((random: fc.Random, bias: number | undefined) => ShrinkableAct)[] {
    const { working, position } = at;
    const timer = this.#walk.nextTimer(at);
    return [
      ...working.map(({ path }) => by(this.#outcomes.ofNode(path), (outcome) => ({ node: path, ...outcome }))),
      ...position.waits.flatMap(({ accepts }) => accepts).map((type) => by(this.#outcomes.ofEvent(type), (event) => ({ event }))),
      ...(timer ? [(): ShrinkableAct => ({ act: { timer: timer.name }, smaller: () => [] })] : []),
    ];
  }

  override canShrinkWithoutContext(_value: unknown): _value is Tape {
    return false;
  }

  override shrink(_value: Tape, context: unknown): fc.Stream<fc.Value<Tape>> {
    const origin = context as Origin | undefined;
    return origin ? fc.stream(this.#smaller(origin)) : fc.Stream.nil();
  }

  *#smaller({ input, cells }: Origin): Generator<fc.Value<Tape>> {
    // cuts from the end first, because the act that breaks an invariant is usually an earlier one
    for (let length = cells.length; length >= 1; length = Math.floor(length / 2)) {
      for (let from = cells.length - length; from >= 0; from -= length) {
        yield this.#replayed({ input, cells: [...cells.slice(0, from), ...cells.slice(from + length)] });
      }
    }
    for (const smaller of this.#outcomes.input.shrink(input.value, input.context)) yield this.#replayed({ input: smaller, cells });
    for (const [index, cell] of cells.entries()) {
      for (const smaller of cell.smaller()) yield this.#replayed({ input, cells: cells.with(index, smaller) });
    }
  }

  /** Returns the tape without acts that are no longer possible. */
  #replayed({ input, cells }: Origin): fc.Value<Tape> {
    const kept: ShrinkableAct[] = [];
    let at = this.#walk.begin(input.value);
    for (const cell of cells) {
      const next = at.position.done ? undefined : this.#walk.act(at, cell.act);
      if (!next) continue;
      kept.push(cell);
      at = next;
    }
    return toValue({ input, cells: kept });
  }
}

const by =
  <T>(arbitrary: fc.Arbitrary<T>, toAct: (value: T) => TapeAct): ((random: fc.Random, bias: number | undefined) => ShrinkableAct) =>
  (random, bias) =>
    toCell(arbitrary, arbitrary.generate(random, bias), toAct);

const toCell = <T>(arbitrary: fc.Arbitrary<T>, { value, context }: fc.Value<T>, toAct: (value: T) => TapeAct): ShrinkableAct => ({
  act: toAct(value),
  *smaller() {
    for (const smaller of arbitrary.shrink(value, context)) yield toCell(arbitrary, smaller, toAct);
  },
});

const toValue = (origin: Origin): fc.Value<Tape> =>
  new fc.Value({ input: origin.input.value, acts: origin.cells.map(({ act }) => act) }, origin);
