import OpenAI from 'openai';
import { messageOf } from '../../core/errors/message-of.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { RemoteModelOptions } from '../remote-model-options.ts';
import { readableErrors } from './readable-errors.ts';

/** @throws {WorkflowError} `OPTION_INVALID` for fields that each request sets itself. */
export function checkExtraBody(extraBody: JsonObject, own: readonly string[]): void {
  const ours = own.filter((field) => Object.hasOwn(extraBody, field));
  if (ours.length === 0) return;
  throw optionInvalid(`extraBody has "${ours.join('", "')}", which each request sets itself.`, 'Remove it. For stream, use the option.');
}

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Options of every model that uses the `openai` package. */
export interface OpenaiRemoteOptions extends RemoteModelOptions {
  /** Id of the model at the provider, for example `gpt-5-mini`. */
  readonly model: string;
  /** API key. Default: the environment's `OPENAI_API_KEY`. For a server without a key, pass any text. */
  readonly apiKey?: string;
  /** URL of an OpenAI-compatible server, for example `http://localhost:11434/v1`. Default: `OPENAI_BASE_URL`, else OpenAI. */
  readonly baseURL?: string;
  /** Custom client, for example for Azure or a browser, instead of `apiKey` and `baseURL`. */
  readonly client?: OpenAI;
  /** False for a server whose streaming is missing or broken: the text then arrives in one piece. @default true */
  readonly stream?: boolean;
}

/** @throws {WorkflowError} `OPTION_INVALID` for conflicting options, and without a key. */
export function toClient({ client, apiKey, baseURL }: Pick<OpenaiRemoteOptions, 'client' | 'apiKey' | 'baseURL'>): OpenAI {
  if (client && (apiKey !== undefined || baseURL !== undefined)) {
    throw optionInvalid('Both client and apiKey or baseURL are given.', 'Pass client, or apiKey and baseURL, but not both.');
  }
  if (baseURL !== undefined && !URL.canParse(baseURL)) {
    throw optionInvalid(`The baseURL "${baseURL}" is not a URL.`, 'Pass a URL such as http://localhost:11434/v1.');
  }
  try {
    return client ?? new OpenAI({ apiKey, baseURL, fetch: readableErrors });
  } catch (error) {
    const what = messageOf(error);
    throw optionInvalid(`The client could not be created: ${what}`, 'Pass apiKey or set OPENAI_API_KEY. For anything else, pass client.');
  }
}
