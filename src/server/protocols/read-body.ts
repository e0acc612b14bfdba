import type { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import { issuesText } from '../../core/util/issues-text.ts';

/** Reads the body of a request with a schema. @throws {WorkflowError} `INPUT_INVALID`, which names the invalid fields. */
export async function readBody<TBody>(request: Request, schema: z.ZodType<TBody>): Promise<TBody> {
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    throw invalid('The body is not JSON.');
  }
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw invalid(`The request is not valid: ${issuesText(read.error) ?? 'it does not fit'}.`);
}

const invalid = (message: string): WorkflowError =>
  new WorkflowError({ code: 'INPUT_INVALID', message, hint: 'Send what the guide on protocols shows.' });
