import { WorkflowError } from '../../core/errors/errors.ts';
import { checkTimeout } from '../../core/util/check-integer.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import type { ModerateOptions } from './moderate.ts';

export interface OpenaiModerationOptions {
  readonly apiKey: string;
  /** @default 'omni-moderation-latest' */
  readonly model?: string;
  /** Base URL without `/moderations`. @default 'https://api.openai.com/v1' */
  readonly baseURL?: string;
  /** Categories that count, such as `violence`. Default: whatever the service flags. */
  readonly categories?: readonly string[];
  /** Time limit in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
}

/** The service reads at most about 32,000 tokens of a text. */
const maxChars = 20_000;

/**
 * Judges a text by OpenAI's moderation endpoint. A long text is sent in parts of 20,000 characters.
 *
 * Its result throws `MODEL_UNAVAILABLE` when the service cannot be reached, and `MODEL_REQUEST_REFUSED` when it rejects the request.
 *
 * @example moderate({ check: openaiModeration({ apiKey: process.env.OPENAI_API_KEY ?? '' }) })
 */
export function openaiModeration(options: OpenaiModerationOptions): ModerateOptions['check'] {
  const { apiKey, model = 'omni-moderation-latest', baseURL = 'https://api.openai.com/v1', categories } = options;
  const timeoutMs = checkTimeout('timeoutMs', options.timeoutMs ?? 10_000);
  const url = `${baseURL.replace(/\/+$/, '')}/moderations`;
  return async (text, { signal }) => {
    const input = Array.from({ length: Math.ceil(text.length / maxChars) }, (_, at) => text.slice(at * maxChars, (at + 1) * maxChars));
    let response: Response;
    let reply: unknown;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ model, input }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      reply = parseJson(await response.text());
    } catch {
      signal.throwIfAborted();
      throw unavailable('cannot be reached');
    }
    if (!response.ok) throw unavailable(`answered with status ${response.status}`, response.status);
    const results = isObject(reply) && Array.isArray(reply.results) ? reply.results : [];
    if (results.length !== input.length) throw unavailable('gave no result for each text');
    const found = new Set(results.flatMap((result) => flaggedIn(result, categories)));
    return found.size === 0 ? undefined : [...found].join(', ');
  };
}

function flaggedIn(result: unknown, wanted: readonly string[] | undefined): readonly string[] {
  if (!isObject(result) || typeof result.flagged !== 'boolean') throw unavailable('gave a result of another form');
  const named = isObject(result.categories) ? Object.entries(result.categories).flatMap(([name, is]) => (is === true ? [name] : [])) : [];
  if (wanted) return named.filter((name) => wanted.includes(name));
  return result.flagged && named.length === 0 ? ['flagged'] : result.flagged ? named : [];
}

/** Its message never has the text: the service may quote it. */
const unavailable = (what: string, status = 500): WorkflowError => {
  const isRefused = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  return new WorkflowError({
    code: isRefused ? 'MODEL_REQUEST_REFUSED' : 'MODEL_UNAVAILABLE',
    message: `The moderation service ${what}.`,
    hint: isRefused ? 'Check its key, model and address.' : 'Try again later.',
    retryable: !isRefused,
    data: { status },
  });
};
