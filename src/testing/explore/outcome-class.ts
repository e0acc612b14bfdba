import type { MachineContext } from 'xstate';
import type { ErrorInfo } from '../../ports/error-info.ts';
import type { HumanEvent } from '../../runtime/host.ts';

/** What may become of a node or of a wait, standing for everything that guards cannot tell from it. */
export type OutcomeClass<TState = MachineContext> = Labelled & (Done<TState> | Failed | Answered);

interface Labelled {
  /** Shown in paths. Default: the patch, the error's code, or the event's type. */
  readonly name?: string;
  /** Calls that are made on the way to it. Default: what `calls` of `callBounds` says of the node. */
  readonly calls?: Calls;
}

interface Done<TState> {
  /** What the node returns. */
  readonly patch: Partial<TState>;
}

interface Failed {
  /** What the node throws: an error, or its code. */
  readonly error: string | Partial<ErrorInfo>;
}

interface Answered {
  /** What a human sends, of a waiting state. */
  readonly event: HumanEvent;
}

/** How many calls something makes. */
export interface Calls {
  readonly model?: CallCount;
  readonly tool?: CallCount;
}

/** Exactly so many, or at least and at most; `Infinity` = without a limit. */
export type CallCount = number | readonly [min: number, max: number];

/** The outcomes of a node or a wait: the same each time, or made from the state in which it begins. */
export type Outcomes<TState = MachineContext> =
  | readonly OutcomeClass<TState>[]
  | ((state: Readonly<TState>) => readonly OutcomeClass<TState>[]);

/** What is shown of an outcome. */
export function nameOfOutcome(outcome: OutcomeClass): string {
  if (outcome.name !== undefined) return outcome.name;
  if ('event' in outcome) return outcome.event.type;
  if ('patch' in outcome) return Object.keys(outcome.patch).length === 0 ? 'done' : JSON.stringify(outcome.patch);
  return typeof outcome.error === 'string' ? outcome.error : (outcome.error.code ?? 'error');
}
