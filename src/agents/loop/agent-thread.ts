import type { Taint } from '../../core/ports/taint.ts';
import { noTaint } from '../../core/util/taint.ts';

/** Part of a state, of a run or a thread, that decides whether a call needs approval. */
export interface AgentThread {
  /** Taint that tools and documents have brought into the thread, in this turn or an earlier one. */
  readonly taint: Taint;
  /** True once the user has allowed external calls in this thread, in this turn or an earlier one. */
  readonly egressGranted: boolean;
}

/** State of a new thread. */
export const newAgentThread: AgentThread = Object.freeze({ taint: noTaint, egressGranted: false });
