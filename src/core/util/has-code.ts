import { type ErrorCode, WorkflowError } from '../errors/errors.ts';

/** True for an error of the package with one of these codes. */
export const hasCode = (thrown: unknown, ...codes: readonly ErrorCode[]): thrown is WorkflowError =>
  WorkflowError.isInstance(thrown) && codes.includes(thrown.code);
