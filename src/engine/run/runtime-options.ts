import { WorkflowError } from '../../core/errors/errors.ts';
import { fleetStates } from '../../core/ports/fleet-state.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import { runStatuses } from '../../core/ports/run-store.ts';
import {
  atLeastZero,
  checkOptions,
  count,
  flag,
  fn,
  list,
  number,
  type OptionKind,
  object,
  objectWith,
  oneOf,
  optionInvalid,
  required,
  text,
} from '../../core/util/check-options.ts';
import { isPriority, maxPriority } from '../../core/util/is-priority.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { Resolution } from './runtime.ts';

type Options = Readonly<Record<string, OptionKind>>;

const store = objectWith('a RunStore', 'create');
const clock = objectWith('a Clock', 'schedule');
const priority: OptionKind = { what: `a whole number from -${maxPriority} to ${maxPriority}`, is: isPriority };

/** Options of the runtime's methods. */
export const runtimeOptions: Options = {
  store,
  workflows: list,
  workflowFor: fn,
  acceptChanges: flag,
  limits: object,
  budget: objectWith('a ModelBudget', 'reserve'),
  leaseMs: count,
  clock,
  inspect: object,
};
export const startOptions: Options = {
  runId: text,
  threadId: text,
  after: { what: 'the id of a run, or null', is: (value) => value === null || typeof value === 'string' },
  ifBusy: oneOf('reject', 'queue', 'cancel-and-replace'),
  priority,
  drive: flag,
  limits: object,
  grantEgress: flag,
  metadata: object,
};
export const pauseOptions: Options = { handOver: flag };
export const closeOptions: Options = { drainMs: atLeastZero };
export const recoverOptions: Options = {
  limit: count,
  watch: flag,
  acceptChanges: flag,
  except: { what: 'a Set', is: (value) => value instanceof Set },
  choose: fn,
  fits: fn,
};
export const resumeOptions: Options = { limits: object, force: flag, acceptChanges: flag };
export const retryOptions: Options = { limits: object, acceptChanges: flag, patch: object, drive: flag };
export const sendOptions: Options = { interruptId: required(text), acceptChanges: flag };
export const forkOptions: Options = { at: required(text), runId: text, patch: object, repeatOnce: flag, limits: object };
const eventsOptions: Options = { from: number };
export const runQuery: Options = {
  workflow: text,
  threadId: text,
  status: oneOf(...runStatuses),
  state: oneOf(...fleetStates),
  code: text,
  updatedBefore: number,
  dueBefore: number,
  idPrefix: text,
  before: text,
  limit: { what: 'a number from 1', is: (value) => typeof value === 'number' && value >= 1 },
};

export const turnQuery: Options = {
  order: oneOf('newest', 'oldest'),
  beyond: text,
  limit: { what: 'a whole number from 0', is: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 },
};

/**
 * Parses a human's resolution of a call. It must be exactly one of the three, because a misread resolution makes the call happen twice, or
 * never.
 * @throws {WorkflowError} `OPTION_INVALID`, `VALUE_NOT_JSON`.
 */
export function parseResolution(value: unknown): Resolution {
  if (object.is(value)) {
    const { as, output, ...rest } = value as Readonly<Record<string, unknown>>;
    const named = Object.keys(value as object).length;
    if (as === 'done' && output !== undefined && Object.keys(rest).length === 0)
      return { as, output: toJson(output, 'output', defaultMaxOutputBytes) };
    if ((as === 'retry' || as === 'abort') && named === 1) return { as };
  }
  throw optionInvalid(
    'The resolution of the call is invalid.',
    "Pass { as: 'done', output: … } if the call happened, { as: 'retry' } if it did not, or { as: 'abort' } to treat it as failed.",
  );
}

/** Options for reading the events of a run. */
export interface EventsOptions {
  readonly from?: number;
}

/** @throws {WorkflowError} `OPTION_INVALID`. */
export function firstEvent(options: EventsOptions): number {
  checkOptions('events', options, eventsOptions);
  return options.from ?? 1;
}

/** @throws {WorkflowError} `EVENT_INVALID`. */
export function assertEvent(event: unknown): asserts event is HumanEvent {
  if (object.is(event) && typeof (event as { type?: unknown }).type === 'string') return;
  throw new WorkflowError({ code: 'EVENT_INVALID', message: 'The event has no type.', hint: "Send { type: 'APPROVE' }, for example." });
}
