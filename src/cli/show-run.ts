import { type CommonFlags, dbFlag } from './flags.ts';
import { withStoredRun } from './open-runtime.ts';
import { printRun } from './tables.ts';

/** Shows a run: its events in order, and the answer. */
export const showRun = (runId: string, flags: CommonFlags): Promise<void> =>
  withStoredRun(flags, runId, (runtime) => printRun(runtime, runId, flags.json ?? false, { dbFlag: dbFlag(flags) }));
