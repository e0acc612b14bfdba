import { WorkflowError } from '../errors.ts';
import type { RunEvent } from '../ports/run-event.ts';

/** How much one run may do. Past a limit the run ends `failed`; it can be resumed with higher ones. */
export interface Limits {
  /** Nodes entered. @default 200 */
  readonly nodeVisits: number;
  /** Calls of a model, cached ones included. @default 50 */
  readonly modelCalls: number;
  /** Calls of tools, deduplicated ones included. @default 100 */
  readonly toolCalls: number;
  /** Input and output tokens together. @default Infinity */
  readonly tokens: number;
  /** Time spent at work on the run, in milliseconds; waiting for a human and sleeping until a timer is due are free. @default 900_000 */
  readonly wallTimeMs: number;
}

export const defaultLimits: Limits = {
  nodeVisits: 200,
  modelCalls: 50,
  toolCalls: 100,
  tokens: Number.POSITIVE_INFINITY,
  wallTimeMs: 900_000,
};

/** Counts what a run does and says when it is too much. */
export class Usage {
  readonly #limits: Limits;
  #nodeVisits = 0;
  #modelCalls = 0;
  #toolCalls = 0;
  #tokens = 0;

  constructor(limits: Limits, stored: readonly RunEvent[]) {
    this.#limits = limits;
    for (const event of stored) this.#count(event);
  }

  /** Counts an event that is about to be emitted. @throws {WorkflowError} `LIMIT_EXCEEDED`. */
  add(event: Pick<RunEvent, 'type'>): void {
    this.#count(event as RunEvent);
    if (event.type === 'model-start') {
      this.#check('modelCalls', this.#modelCalls);
      this.#check('tokens', this.#tokens);
    } else if (event.type === 'tool-start') {
      this.#check('toolCalls', this.#toolCalls);
    }
  }

  /** Counts a node that is about to run, or whose outcome is about to be replayed. @throws {WorkflowError} `LIMIT_EXCEEDED`. */
  addVisit(): void {
    this.#nodeVisits++;
    this.#check('nodeVisits', this.#nodeVisits);
  }

  #count(event: RunEvent): void {
    if (event.type === 'model-start') this.#modelCalls++;
    else if (event.type === 'tool-start') this.#toolCalls++;
    else if (event.type === 'model-end') this.#tokens += event.usage.inputTokens + event.usage.outputTokens;
  }

  #check(limit: keyof Limits, used: number): void {
    if (used > this.#limits[limit]) throw limitExceeded(limit, this.#limits[limit]);
  }
}

export const limitExceeded = (limit: keyof Limits, allowed: number): WorkflowError =>
  new WorkflowError({
    code: 'LIMIT_EXCEEDED',
    message: `The run has reached its limit of ${allowed} ${limit}.`,
    hint: `Nothing is lost: resume it with a higher limits.${limit}.`,
    data: { limit, allowed },
  });

/** Fills in the defaults. @throws {WorkflowError} `OPTION_INVALID` for a limit that is not a positive number. */
export function parseLimits(limits: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(limits)) {
    if (!(name in defaultLimits) || typeof value !== 'number' || !(value > 0)) {
      throw new WorkflowError({
        code: 'OPTION_INVALID',
        message: `The limit ${name} cannot be ${String(value)}.`,
        hint: `Limits are positive numbers: ${Object.keys(defaultLimits).join(', ')}.`,
      });
    }
  }
  return { ...defaultLimits, ...limits };
}
