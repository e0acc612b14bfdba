import type { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { issuesText } from '../../core/util/issues-text.ts';

const hint = 'See the guide on protocols for the format.';

/** Reads the body of a request with a schema. @throws {WorkflowError} `INPUT_INVALID`, which names the invalid fields. */
export async function readBody<TBody>(request: Request, schema: z.ZodType<TBody>): Promise<TBody> {
  const read = schema.safeParse(await readJsonBody(request, hint));
  if (read.success) return read.data;
  throw invalid(`The request is not valid: ${issuesText(read.error) ?? 'it does not fit'}.`, hint);
}

/** Reads the JSON body of a request. @throws {WorkflowError} `INPUT_INVALID`. */
export async function readJsonBody(request: Request, hint?: string): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    throw invalid('The body is not JSON.', hint);
  }
}

const invalid = (message: string, hint: string | undefined): WorkflowError =>
  new WorkflowError({ code: 'INPUT_INVALID', message, ...(hint === undefined ? {} : { hint }) });

export const unsupported = (what: string, hint: string): WorkflowError => optionInvalid(`Not supported here: ${what}.`, hint);
