import { type ErrorCode, WorkflowError } from '../errors.ts';

/** Whether the package threw it, with one of these codes. */
export const hasCode = (thrown: unknown, ...codes: readonly ErrorCode[]): thrown is WorkflowError =>
  WorkflowError.isInstance(thrown) && codes.includes(thrown.code);
