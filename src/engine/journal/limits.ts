import { WorkflowError } from '../../core/errors/errors.ts';
import type { StoredEvent, TokenUsage } from '../../core/ports/run-event.ts';
import { addUsage } from '../../core/util/add-usage.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { noUsage } from '../../core/util/no-usage.ts';

/** Limits of one run. Beyond a limit the run ends as `failed`. It can be resumed with higher limits. */
export interface Limits {
  /** Maximum number of node visits. @default 200 */
  readonly nodeVisits: number;
  /** Maximum number of model calls, including cached ones. @default 50 */
  readonly modelCalls: number;
  /** Maximum number of tool calls, including deduplicated ones. @default 100 */
  readonly toolCalls: number;
  /** Maximum number of input and output tokens together. @default Infinity */
  readonly tokens: number;
  /**
   * Time limit of the work on the run, in milliseconds. Waiting for a human and sleeping until a timer is due do not count. @default
   * 900_000
   */
  readonly wallTimeMs: number;
}

export const defaultLimits: Limits = {
  nodeVisits: 200,
  modelCalls: 50,
  toolCalls: 100,
  tokens: Number.POSITIVE_INFINITY,
  wallTimeMs: 900_000,
};

/** Counts the usage of a run and fails when it exceeds a limit. */
export class Usage {
  readonly #limits: Limits;
  #nodeVisits = 0;
  #modelCalls = 0;
  #toolCalls = 0;
  #reported = noUsage;

  constructor(limits: Limits, stored: readonly StoredEvent[]) {
    this.#limits = limits;
    for (const event of stored) this.#count(event);
  }

  /** Sum of what the model calls have reported. */
  get reported(): TokenUsage {
    return this.#reported;
  }

  /** Counts an event that is about to be emitted. @throws {WorkflowError} `LIMIT_EXCEEDED`. */
  add(event: Pick<StoredEvent, 'type'>): void {
    this.#count(event as StoredEvent);
    if (event.type === 'model-start') {
      this.#check('modelCalls', this.#modelCalls);
      this.#check('tokens', this.#reported.inputTokens + this.#reported.outputTokens);
    } else if (event.type === 'tool-start') {
      this.#check('toolCalls', this.#toolCalls);
    }
  }

  /** Counts a node that is about to run or to be replayed. @throws {WorkflowError} `LIMIT_EXCEEDED`. */
  addVisit(): void {
    this.#nodeVisits++;
    this.#check('nodeVisits', this.#nodeVisits);
  }

  #count(event: StoredEvent): void {
    if (event.type === 'model-start') this.#modelCalls++;
    else if (event.type === 'tool-start') this.#toolCalls++;
    else if (event.type === 'model-end') this.#reported = addUsage(this.#reported, event.usage);
  }

  #check(limit: keyof Limits, used: number): void {
    if (used > this.#limits[limit]) throw limitExceeded(limit, this.#limits[limit]);
  }
}

export const limitExceeded = (limit: keyof Limits, allowed: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `The run has reached its limit of ${allowed} ${limit}.`,
    hint: `Resume it with a higher limits.${limit}. Nothing is lost.`,
    data: { limit, allowed },
  });

/** Fills in the defaults. @throws {WorkflowError} `OPTION_INVALID` for a limit that is not a positive number. */
export function parseLimits(limits: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!(name in defaultLimits) || typeof value !== 'number' || !(value > 0)) {
      throw optionInvalid(
        `The limit ${name} cannot be ${String(value)}.`,
        `Use positive numbers for ${Object.keys(defaultLimits).join(', ')}.`,
      );
    }
  }
  return { ...defaultLimits, ...limits };
}
