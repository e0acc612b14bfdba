import OpenAI from 'openai';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { readableErrors } from './readable-errors.ts';

/** @throws {WorkflowError} `OPTION_INVALID` for fields that each request sets itself. */
export function checkExtraBody(extraBody: JsonObject, own: readonly string[]): void {
  const ours = own.filter((field) => Object.hasOwn(extraBody, field));
  if (ours.length === 0) return;
  throw optionInvalid(`extraBody has "${ours.join('", "')}", which each request sets itself.`, 'Remove it. For stream, use the option.');
}

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Options of a client. */
export interface ClientOptions {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly client?: OpenAI;
}

/** @throws {WorkflowError} `OPTION_INVALID` for conflicting options, and without a key. */
export function toClient({ client, apiKey, baseURL }: ClientOptions): OpenAI {
  if (client && (apiKey !== undefined || baseURL !== undefined)) {
    throw optionInvalid('Both client and apiKey or baseURL are given.', 'Pass client, or apiKey and baseURL, but not both.');
  }
  if (baseURL !== undefined && !URL.canParse(baseURL)) {
    throw optionInvalid(`The baseURL "${baseURL}" is not a URL.`, 'Pass a URL such as http://localhost:11434/v1.');
  }
  try {
    return client ?? new OpenAI({ apiKey, baseURL, fetch: readableErrors });
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw optionInvalid(`The client could not be created: ${what}`, 'Pass apiKey or set OPENAI_API_KEY. For anything else, pass client.');
  }
}

const optionInvalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'OPTION_INVALID', message, hint });
