import type { MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';

/** Outcome of a node or a wait, which represents all outcomes that guards cannot distinguish from it. */
export type OutcomeClass<TState = MachineContext> = OutcomeLabel & (NodePatch<TState> | NodeFailure | HumanAnswer);

interface OutcomeLabel {
  /** Name in paths. Default: the patch, the error's code, or the event's type. */
  readonly name?: string;
  /** Calls before this outcome. Default: the node's number in `calls` of `callBounds`. */
  readonly calls?: Calls;
}

interface NodePatch<TState> {
  /** Return value of the node. */
  readonly patch: Partial<TState>;
}

interface NodeFailure {
  /** Error of the node, or its code. */
  readonly error: string | Partial<ErrorInfo>;
}

interface HumanAnswer {
  /** Event that a human sends to a waiting state. */
  readonly event: HumanEvent;
}

/** Numbers of calls. */
export interface Calls {
  readonly model?: CallCount;
  readonly tool?: CallCount;
}

/** Exact number, or minimum and maximum; `Infinity` means no limit. */
export type CallCount = number | readonly [min: number, max: number];

/** Outcomes of a node or a wait: a fixed list, or a function of the state at its start. */
export type Outcomes<TState = MachineContext> = readonly OutcomeClass<TState>[] | OutcomeFunction<TState>;

export type OutcomeFunction<TState = MachineContext> = (state: Readonly<TState>) => readonly OutcomeClass<TState>[];

/** Returns the name of an outcome in paths. */
export function nameOfOutcome(outcome: OutcomeClass): string {
  if (outcome.name !== undefined) return outcome.name;
  if ('event' in outcome) return outcome.event.type;
  if ('patch' in outcome) return Object.keys(outcome.patch).length === 0 ? 'done' : JSON.stringify(outcome.patch);
  return typeof outcome.error === 'string' ? outcome.error : (outcome.error.code ?? 'error');
}

/** Returns the failure of a node as the engine reports it. */
export const errorOf = (error: string | Partial<ErrorInfo>): ErrorInfo => ({
  name: 'Error',
  code: 'NODE_FAILED',
  message: 'The node has failed.',
  retryable: false,
  ...(typeof error === 'string' ? { code: error } : error),
});

export const refused = (path: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `A given outcome of "${path}" is invalid: ${toErrorInfo(cause).message}`,
    hint: 'Give values that the node can return or the event can carry.',
    cause,
  });

/** Returns the outcomes of a node, with failures added if there is none, because any node can fail. */
export const withFailure = (outcomes: readonly OutcomeClass[], failures: readonly NodeFailure['error'][]): readonly OutcomeClass[] =>
  outcomes.some((outcome) => 'error' in outcome) ? outcomes : [...outcomes, ...failures.map((error) => ({ error }))];
