import type { Effect } from '../ports/node-io.ts';
import type { CallRecord } from './execute-plan.types.ts';
import { toolOfSignature } from './tool-signature.ts';

/** A call that has been begun, and what may have changed what it has read since. */
export interface KnownCall {
  readonly signature: string;
  readonly effect: Effect;
  /** Calls with an effect that were at work beside it or after it, and have acted or may have. */
  readonly effects: Set<KnownCall>;
  /** Absent while it is at work. */
  record?: CallRecord;
  /** It is `once` and of an earlier plan: whoever plans again is not meant to do it again. */
  kept?: true;
}

/**
 * The calls of an execution and of those before it. The output of an equal call that has succeeded is taken as long as nothing with an
 * effect has been at work since that call was begun; the effect of the call itself does not count. A `once` call of an earlier plan is
 * never made again.
 */
export class KnownCalls {
  readonly #all = new Set<KnownCall>();
  readonly #running = new Set<KnownCall>();
  /** The youngest of equal calls, unless it has failed. */
  readonly #bySignature = new Map<string, KnownCall>();

  /**
   * @param effectOf tells the effect of a tool by its name.
   * @param ofEarlierPlans so many of the history's first calls.
   */
  constructor(history: readonly CallRecord[], effectOf: (tool: string) => Effect, ofEarlierPlans = 0) {
    for (const [index, record] of history.entries()) {
      const effect = effectOf(toolOfSignature(record.signature));
      const call = this.begin(record.signature, record.deduplicated ? 'pure' : effect);
      this.end(call, record);
      if (record.stale) call.effects.add(call);
      if (effect === 'once' && index < ofEarlierPlans) call.kept = true;
    }
  }

  /** True when an equal call has been begun, and its output may become too old. */
  mayBecomeOld(signature: string): boolean {
    const call = this.#bySignature.get(signature);
    return call !== undefined && !call.kept;
  }

  /** What an equal call has brought, if it still holds. */
  recall(signature: string): CallRecord | undefined {
    const call = this.#bySignature.get(signature);
    return call && (call.kept || call.effects.size === 0) ? call.record : undefined;
  }

  /** True while an equal call is at work whose output will hold as far as can be seen. */
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

  /** @param record of what became of it; none when it was not made, but waits for a human. */
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

/** A tool that says that it has failed may have done something before; one that was not called has not. */
const mayHaveActed = ({ status, attempts, error }: CallRecord): boolean =>
  status === 'success' || attempts > 0 || error?.code === 'CALL_ABORTED';
