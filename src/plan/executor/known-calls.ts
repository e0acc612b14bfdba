import type { Effect } from '../../core/ports/node-io.ts';
import type { CallRecord, SucceededCall } from './execute-plan.types.ts';
import { toolOfSignature } from './tool-signature.ts';

/** A started call, and later effects that may have changed its data. */
export interface KnownCall {
  readonly signature: string;
  readonly effect: Effect;
  /** Calls with an effect that ran beside it or after it and have acted or may have. */
  readonly effects: Set<KnownCall>;
  /** Absent while it runs. */
  record?: CallRecord;
  /** True for a `once` call of an earlier plan, which a new plan must not repeat. */
  kept?: true;
}

/**
 * Calls of an execution and of those before it. The output of an equal successful call is reused as long as no call with an effect has run
 * since it started; its own effect does not count. A `once` call of an earlier plan is never repeated.
 */
export class KnownCalls {
  readonly #all = new Set<KnownCall>();
  readonly #running = new Set<KnownCall>();
  /** The latest of equal calls, unless it failed. */
  readonly #bySignature = new Map<string, KnownCall>();

  /**
   * @param effectOf returns the effect of a tool by name.
   * @param ofEarlierPlans number of leading history calls that belong to earlier plans.
   */
  constructor(history: readonly CallRecord[], effectOf: (tool: string) => Effect, ofEarlierPlans = 0) {
    for (const [index, record] of history.entries()) {
      const effect = effectOf(toolOfSignature(record.signature));
      const call = this.begin(record.signature, record.deduplicated ? 'pure' : effect);
      this.end(call, record);
      if (record.status === 'success' && record.stale) call.effects.add(call);
      // Decision 57: a new plan that repeats "pay A" must not pay A twice.
      if (effect === 'once' && index < ofEarlierPlans) call.kept = true;
    }
  }

  /** True when an equal call has started and its output may become outdated. */
  mayBecomeOld(signature: string): boolean {
    const call = this.#bySignature.get(signature);
    return call !== undefined && !call.kept;
  }

  /** Record of an equal call, if its output is still valid. */
  recall(signature: string): SucceededCall | undefined {
    const call = this.#bySignature.get(signature);
    const isValid = call && (call.kept || call.effects.size === 0);
    return isValid && call.record?.status === 'success' ? call.record : undefined;
  }

  /** True while an equal call is running whose output will be reusable as far as is known. */
  isAwaited(signature: string): boolean {
    const call = this.#bySignature.get(signature);
    return call !== undefined && call.record === undefined && call.effects.size === 0;
  }

  begin(signature: string, effect: Effect): KnownCall {
    const call: KnownCall = { signature, effect, effects: new Set([...this.#running].filter(hasEffect)) };
    if (hasEffect(call)) for (const other of this.#all) other.effects.add(call);
    this.#all.add(call);
    this.#running.add(call);
    this.#bySignature.set(signature, call);
    return call;
  }

  /** @param record outcome; `undefined` if the call needs approval and was not made. */
  end(call: KnownCall, record: CallRecord | undefined): void {
    if (record) call.record = record;
    this.#running.delete(call);
    if (record?.status !== 'success' && this.#bySignature.get(call.signature) === call) this.#bySignature.delete(call.signature);
    if (!record || !mayHaveActed(record)) for (const other of this.#all) other.effects.delete(call);
  }
}

const hasEffect = ({ effect }: KnownCall): boolean => effect !== 'pure';

/** True for a call with an effect that has acted, or may have. */
export const hasActed = (call: KnownCall): boolean => hasEffect(call) && call.record !== undefined && mayHaveActed(call.record);

/** A failed tool may have acted before it failed; a tool that was not called has not. */
const mayHaveActed = (record: CallRecord): boolean =>
  record.status === 'success' || record.attempts > 0 || record.error.code === 'CALL_ABORTED';
