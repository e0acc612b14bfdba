import type { Refusal } from './openai-error.ts';
import type { CompletionBody } from './openai-request.ts';

/** What a server does not take, so that it is asked without; `json_schema:NAME`: not this one. */
export type Concession =
  | 'json_schema'
  | `json_schema:${string}`
  | 'json_object'
  | 'max_tokens'
  | 'max_completion_tokens'
  | 'stream_options'
  | 'temperature'
  | 'reasoning'
  | 'reasoning_missing';

/** What is known of a server: learned once, by a request that was refused and then taken without. */
export interface Concessions {
  /** For one request. */
  readonly attempt: () => ConcessionAttempt;
}

interface ConcessionAttempt {
  readonly all: ReadonlySet<Concession>;
  /** Looks what a refusal names. True: there is something more to leave out, so ask again. Each thing is left out once, so it ends. */
  readonly concede: (body: CompletionBody, refusal: Refusal) => boolean;
  /** The server has taken the request: what was left out for it stays so. A refusal for another reason teaches nothing. */
  readonly learn: () => void;
}

export function concessions(known: readonly Concession[]): Concessions {
  const learned = new Set(known);
  return {
    attempt() {
      const all = new Set(learned);
      return {
        all,
        concede(body, refusal) {
          const next = namedIn(body, refusal);
          if (next === undefined || all.has(next)) return false;
          all.add(next);
          return true;
        },
        learn() {
          for (const one of all) learned.add(one);
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

function namedIn(body: CompletionBody, { status, words }: Refusal): Concession | undefined {
  if (status === undefined || !statuses.has(status)) return undefined;
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

/** More stands in a message of the assistant, or its text is a list. */
const returnsReasoning = ({ messages }: CompletionBody): boolean =>
  messages.some(
    (message) =>
      message.role === 'assistant' &&
      (Array.isArray(message.content) || Object.keys(message).some((name) => !['role', 'content', 'tool_calls'].includes(name))),
  );
