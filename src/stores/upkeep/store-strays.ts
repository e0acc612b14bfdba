import type { StoreProblem } from './verify-store.ts';

export const strayEntries = (n: number, count: number): StoreProblem => ({
  code: 'JOURNAL_CORRUPT',
  message: `${count} entries belong to the run of number ${n}, which is not there.`,
});

export const strayParts = (threadId: string, count: number): StoreProblem => ({
  code: 'JOURNAL_CORRUPT',
  message: `${count} parts of a state belong to the thread ${threadId}, which is not there.`,
  threadId,
});

export const strayThread = (threadId: string): StoreProblem => ({
  code: 'JOURNAL_CORRUPT',
  message: `The thread ${threadId} has no run.`,
  threadId,
});
