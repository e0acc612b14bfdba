import type { StoreProblem } from './verify-store.ts';

export const strayEntries = (n: number, count: number): StoreProblem => ({
  code: 'JOURNAL_CORRUPT',
  message: `${count} entries belong to run number ${n}, which does not exist.`,
});

export const strayParts = (threadId: string, count: number): StoreProblem => ({
  code: 'JOURNAL_CORRUPT',
  message: `${count} parts of a state belong to the thread ${threadId}, which does not exist.`,
  threadId,
});

export const strayThread = (threadId: string): StoreProblem => ({
  code: 'JOURNAL_CORRUPT',
  message: `The thread ${threadId} has no run.`,
  threadId,
});
