import { LRUCache } from 'lru-cache';
import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import { canonicalJson } from '../core/util/canonical-json.ts';
import { checkInteger } from '../core/util/check-integer.ts';
import { noUsage } from '../core/util/no-usage.ts';
import { toJson } from '../core/util/to-json.ts';
import { untilAborted } from '../core/util/until-aborted.ts';
import { askWithRuleInput, type RuleInputSource, traitsOf } from './rule-model.ts';

export interface CachedModelOptions {
  /** Maximum number of stored replies; the least recently used is evicted first. @default 500 */
  readonly maxEntries?: number;
  /** Time to live of a stored reply, in milliseconds. Default: until it is evicted. */
  readonly ttlMs?: number;
  /** Maximum size of all requests and replies together, in bytes of UTF-8. Default: none. */
  readonly maxSizeBytes?: number;
}

/** A model with an in-memory cache. */
export interface CachedModel extends ChatModel {
  stats(): CacheStats;
}

export interface CacheStats {
  /** Number of replies without a model call of their own, including those shared with an equal request in flight. */
  readonly hits: number;
  /** Number of deterministic requests that called the model. */
  readonly misses: number;
  readonly entries: number;
}

/**
 * Caches the replies to requests with `deterministic: true`, and returns them for equal requests: same task, messages, tools and options.
 * All other requests pass through. A reply is not cached if a rule has read its rule input, because two requests may differ only in that
 * input.
 *
 * Equal concurrent requests share one call. If the request that made the call is aborted, the others call the model themselves.
 * @throws {WorkflowError} `OPTION_INVALID` for an option that is not a positive whole number.
 */
export function cachedModel(model: ChatModel, { maxEntries = 500, ttlMs, maxSizeBytes }: CachedModelOptions = {}): CachedModel {
  const replies = new LRUCache<string, ChatReply>({
    max: checkInteger('maxEntries', maxEntries, { min: 1 }),
    ...(ttlMs === undefined ? {} : { ttl: checkInteger('ttlMs', ttlMs, { min: 1 }) }),
    ...(maxSizeBytes === undefined
      ? {}
      : {
          maxSize: checkInteger('maxSizeBytes', maxSizeBytes, { min: 1 }),
          sizeCalculation: (reply, key) => sizeBytes(key) + sizeBytes(JSON.stringify(reply)),
        }),
  });
  const underWay = new Map<string, CallUnderWay>();
  let hits = 0;
  let misses = 0;

  const hit = (reply: ChatReply, { onToken, onReasoning }: ChatRequest): ChatReply => {
    hits += 1;
    if (reply.reasoning) onReasoning?.(reply.reasoning);
    if (reply.text !== '') onToken?.(reply.text);
    return { ...reply, usage: noUsage, cached: true };
  };

  const answer = async (key: string, request: ChatRequest, ruleInput: RuleInputSource | undefined): Promise<ChatReply> => {
    request.signal?.throwIfAborted();
    const stored = replies.get(key);
    if (stored) return hit(stored, request);
    const shared = underWay.get(key);
    if (!shared) return ask(key, request, ruleInput);
    let reply: ChatReply;
    try {
      reply = await untilAborted(shared.reply, request.signal);
    } catch (error) {
      if (shared.signal?.aborted || shared.hasReadRuleInput()) return answer(key, request, ruleInput);
      throw error;
    }
    return shared.hasReadRuleInput() ? answer(key, request, ruleInput) : hit(reply, request);
  };

  const ask = async (key: string, request: ChatRequest, ruleInput: RuleInputSource | undefined): Promise<ChatReply> => {
    misses += 1;
    let wasRead = false;
    const watched =
      ruleInput &&
      (() => {
        wasRead = true;
        return ruleInput();
      });
    // updates both maps before any waiting request resumes
    const keep = (reply: ChatReply): ChatReply => {
      if (!wasRead) replies.set(key, reply);
      return reply;
    };
    const reply = askWithRuleInput(model, request, watched)
      .then(keep)
      .finally(() => underWay.delete(key));
    underWay.set(key, { reply, signal: request.signal, hasReadRuleInput: () => wasRead });
    return reply;
  };

  return {
    ...traitsOf(model),
    async generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply> {
      return request.deterministic === true
        ? answer(keyOf(model, request), request, ruleInput)
        : askWithRuleInput(model, request, ruleInput);
    },
    stats(): CacheStats {
      replies.purgeStale();
      return { hits, misses, entries: replies.size };
    },
  };
}

interface CallUnderWay {
  readonly reply: Promise<ChatReply>;
  readonly signal: AbortSignal | undefined;
  /** True when the reply is valid for this request only. */
  readonly hasReadRuleInput: () => boolean;
}

function keyOf({ name }: ChatModel, { signal: _signal, onToken: _onToken, onReasoning: _onReasoning, ...request }: ChatRequest): string {
  return canonicalJson(toJson({ name, request }, 'request'));
}

const encoder = new TextEncoder();
const sizeBytes = (text: string): number => encoder.encode(text).length;
