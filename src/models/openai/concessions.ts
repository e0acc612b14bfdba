import { isAboutFiles } from '../message-files.ts';
import type { Refusal } from './openai-error.ts';
import { type CompletionBody, holdsToolFiles } from './openai-request.ts';

/** Feature that a server rejects, and that is therefore left out. `json_schema:NAME` stands for one schema. */
export type Concession =
  | 'json_schema'
  | `json_schema:${string}`
  | 'json_object'
  | 'max_tokens'
  | 'max_completion_tokens'
  | 'stream_options'
  | 'temperature'
  | 'reasoning'
  | 'reasoning_missing'
  | ToolFilesConcession;

/** Files of tool results become text. Never learned, because a single broken file may be the reason. */
export type ToolFilesConcession = 'tool_files';

/** Features that a server rejects. A feature is learned when a rejected request succeeds without it. */
interface Concessions<TBody, TFeature> {
  readonly attempt: () => ConcessionAttempt<TBody, TFeature>;
}

interface ConcessionAttempt<TBody, TFeature> {
  readonly all: ReadonlySet<TFeature>;
  /** True: a further feature can be left out, so retry. Each feature is left out once, so the retries end. */
  readonly concede: (body: TBody, refusal: Refusal) => boolean;
  /** Makes the concessions permanent, because the server has accepted the request. A rejection for another reason teaches nothing. */
  readonly learn: () => void;
}

/** @param featureIn Finds the feature that a refusal names. */
export function concessions<TBody, TFeature extends string>(
  featureIn: (body: TBody, refusal: Refusal) => TFeature | undefined,
  known: readonly TFeature[] = [],
): Concessions<TBody, TFeature> {
  const learned = new Set(known);
  return {
    attempt() {
      const all = new Set(learned);
      return {
        all,
        concede(body, refusal) {
          const next = featureIn(body, refusal);
          if (next === undefined || all.has(next)) return false;
          all.add(next);
          return true;
        },
        learn() {
          for (const one of all) if (one !== 'tool_files') learned.add(one);
        },
      };
    },
  };
}

const statuses = new Set([400, 404, 415, 422, 500, 501]);

const aboutFormat =
  /response[_ ]?format|response.?mime.?type|json[_ -]?(?:schema|object|mode|output)|structured[_ ]?output|guided[_ ]?(?:json|decoding)|grammar/i;
const aboutThisSchema = /invalid schema|schema (?:is )?(?:invalid|too)|(?:parse|generate|compile|convert)\w* .*grammar/i;
const isRefused =
  /un(?:supported|recogni[sz]ed|known|expected)|not (?:supported|permitted|allowed|recogni[sz]ed|available)|does ?n[o']t support|extra (?:inputs|fields|_?forbidden)|extra_forbidden|instead|only the default/i;

export function refusedFeature(body: CompletionBody, { status, words }: Refusal): Concession | undefined {
  if (status === undefined || !statuses.has(status)) return undefined;
  if (body.messages.some(holdsToolFiles) && isAboutFiles(words)) return 'tool_files';
  const format = body.response_format;
  if (format && aboutFormat.test(words)) {
    if (format.type === 'json_object') return 'json_object';
    return aboutThisSchema.test(words) ? `json_schema:${format.json_schema.name}` : 'json_schema';
  }
  if (/reasoning_content.*must be passed|missing.{0,20}reasoning_content/i.test(words)) return 'reasoning_missing';
  if (!isRefused.test(words)) return undefined;
  if (body.stream_options && words.includes('stream_options')) return 'stream_options';
  if (body.max_tokens !== undefined && words.includes('max_tokens')) return 'max_tokens';
  if (body.max_completion_tokens !== undefined && words.includes('max_completion_tokens')) return 'max_completion_tokens';
  if (body.temperature !== undefined && words.includes('temperature')) return 'temperature';
  if (/reasoning|thinking|thought_signature|extra_content/.test(words) && returnsReasoning(body)) return 'reasoning';
  return undefined;
}

/** True if an assistant message has further fields, or its text is a list. */
const returnsReasoning = ({ messages }: CompletionBody): boolean =>
  messages.some(
    (message) =>
      message.role === 'assistant' &&
      (Array.isArray(message.content) || Object.keys(message).some((name) => !['role', 'content', 'tool_calls'].includes(name))),
  );
