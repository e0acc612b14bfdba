import { WorkflowError } from '../../core/errors/errors.ts';

/** The error for a file that exists but cannot be parsed. */
export const invalidDocument = (name: string, what: string, hint: string, cause?: unknown): WorkflowError =>
  new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${name}" ${what}.`, hint, cause });

export const documentTooLarge = (name: string, what: string, hint: string): WorkflowError =>
  new WorkflowError({ code: 'FILE_TOO_LARGE', message: `"${name}" ${what}.`, hint });
