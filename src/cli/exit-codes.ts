import type { RunResult } from '../index.ts';

/** Exit codes of the process. */
export const exitCodes = {
  /** Done, out of scope, or cancelled because the user chose so. */
  done: 0,
  /** Failed or rejected. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The run waits for a human. */
  waiting: 3,
  /** The workflow ended in a final state tagged `failure`. */
  stopped: 4,
  /** A call may or may not have happened. */
  inDoubt: 5,
  /** A promise is neither proven nor broken. */
  undecided: 6,
  /** Ctrl-C was pressed; the run can be resumed. */
  interrupted: 130,
} as const;

export function exitCodeOf(result: RunResult<unknown>): number {
  switch (result.status) {
    case 'done':
      return exitCodes.done;
    case 'waiting':
      return exitCodes.waiting;
    case 'in_doubt':
      return exitCodes.inDoubt;
    case 'paused':
      return exitCodes.interrupted;
    case 'failed':
      return result.resumable ? exitCodes.failed : exitCodes.stopped;
    case 'cancelled':
      return exitCodes.failed;
  }
}
