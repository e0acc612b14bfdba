import { toErrorInfo } from '../core/errors/errors.ts';
import type { ChatModel, ChatRequest } from '../core/ports/chat-model.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { guardsAt } from '../core/util/apply-guards.ts';
import { hasCode } from '../core/util/has-code.ts';
import { retryWith } from '../core/util/retryer.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { filterLinks, type LinkRule, linkFilter, readUrls } from './foreign-links.ts';
import { generateWithinBudget } from './generate-within-budget.ts';
import { GuardedExchange, type GuardedReply } from './guarded-exchange.ts';
import { partialOutput } from './partial-output.ts';
import { reasoningParts } from './reasoning-parts.ts';
import { usageOfError } from './spent-usage.ts';

export interface AskModelOptions {
  /** Its guards check the messages and the reply, and its budget pays for the call. */
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'guards' | 'reserve'>;
  /**
   * Streams the reply's text as `token` events. With a JSON `output` of the request, also the JSON so far, as live-only events `custom`
   * with the name `partial-output`; each replaces the one before. @default false
   */
  readonly stream?: boolean;
  /**
   * Rule for images and links in the reply and its events; those that it does not allow are removed. A link also stays if the model has read
   * its URL in the request, before it wrote it itself. Default: all stay.
   */
  readonly links?: LinkRule | undefined;
  /**
   * Returns a final answer that a guard holds, with the names of the guards as `heldBy`, for a state in which a human decides. Nothing of
   * it is shown. Otherwise it fails with `GUARD_HELD`. @default false
   */
  readonly holdAnswers?: boolean;
}

/** Retries a cut stream. All other failures are retried only by the model's own client, or not at all. */
const streamPolicy = { attempts: 2, delayMs: 0 };

/**
 * Calls a model inside a node. Reports the call, counts it towards the run's limits, and retries if the reply's stream is cut. The model's
 * reasoning is emitted as `thinking` events of the step `reasoning`.
 *
 * @throws {WorkflowError} `LIMIT_EXCEEDED`, `BUDGET_EXCEEDED`; `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`; the errors of the model.
 * @example const reply = await askModel(model, { task: 'trip.answer', messages }, { io, stream: true });
 */
export function askModel(
  model: ChatModel,
  request: ChatRequest,
  { io, stream = false, links, holdAnswers = false }: AskModelOptions,
): Promise<GuardedReply> {
  const { task } = request;
  const sources = links ? readUrls(request.messages) : [];
  const clean = (text: string): string => (links ? filterLinks(text, links, sources) : text);
  const signal = request.signal ? AbortSignal.any([io.signal, request.signal]) : io.signal;
  const guards = [...guardsAt(io.guards, 'request'), ...guardsAt(io.guards, 'answer')];
  const ask = async (exchange?: GuardedExchange): Promise<GuardedReply> => {
    signal.throwIfAborted();
    let shown = '';
    const think = (content: string): void => io.emit({ type: 'thinking', step: 'reasoning', content: clean(content) });
    const thoughts: string[] = [];
    const reasoning = reasoningParts((content) => (exchange?.checksAnswers ? thoughts.push(content) : think(content)));
    const filter = links && linkFilter(links, sources);
    const isJson = stream && request.output !== undefined && request.output.type !== 'text';
    let partial = isJson ? partialOutput(io.emit) : undefined;
    const show = (text: string): void => {
      if (text === '') return;
      shown += text;
      io.emit({ type: 'token', text });
      partial?.push(shown);
    };
    const pass = (text: string): void => show(filter ? filter.push(text) : text);
    const refused = new AbortController();
    const guarded = exchange?.stream(pass, (reason) => refused.abort(reason));
    const onToken = (text: string): void => {
      reasoning.end();
      if (guarded) guarded.push(text);
      else pass(text);
    };
    io.emit({ type: 'model-start', task, model: model.name });
    const begun = performance.now();
    let isOver = false;
    const end = (model: string, usage: TokenUsage, cached: boolean, cause?: unknown): void => {
      if (isOver) return;
      isOver = true;
      const durationMs = Math.round((performance.now() - begun) * 10) / 10;
      io.emit({ type: 'model-end', task, model, durationMs, usage, cached, ...(cause === undefined ? {} : { error: toErrorInfo(cause) }) });
    };
    try {
      const asked = {
        ...request,
        signal,
        ...(exchange ? { messages: exchange.messages, signal: AbortSignal.any([signal, refused.signal]) } : {}),
        ...(stream ? { onToken, onReasoning: reasoning.add } : {}),
      };
      const whole = await generateWithinBudget(model, asked, io);
      reasoning.end(whole.reasoning);
      if (exchange) end(whole.model, whole.usage, whole.cached); // a refused reply costs the same
      await guarded?.end();
      if (shown !== '' && filter) show(filter.end());
      for (const thought of (await exchange?.checkThoughts(thoughts)) ?? []) think(thought);
      const checked: GuardedReply = exchange ? await exchange.check(whole, stream, guarded) : whole;
      const reply = links ? { ...checked, text: clean(checked.text) } : checked;
      if ((reply.heldBy || shown !== reply.text) && (shown !== '' || guarded?.isHeldBack)) {
        // the earlier tokens were no answer, came from a model that failed, or a guard has changed them
        if (shown !== '') io.emit({ type: 'step-reset' });
        shown = reply.heldBy ? '' : reply.text;
        if (shown !== '') io.emit({ type: 'token', text: shown });
        partial &&= partialOutput(io.emit);
      }
      if (shown !== '') partial?.end(reply.text);
      end(reply.model, reply.usage, reply.cached);
      return reply;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const cause = (await guarded?.refusal()) ?? thrown;
      end(model.name, usageOfError(thrown), false, cause);
      if (shown !== '') io.emit({ type: 'step-reset' });
      throw cause;
    }
  };
  const delayOf = (attempt: number, cause: unknown): number | undefined =>
    !signal.aborted && attempt < streamPolicy.attempts && hasCode(cause, 'MODEL_STREAM_CUT') ? streamPolicy.delayMs : undefined;
  const askAll = (exchange?: GuardedExchange): Promise<GuardedReply> => retryWith(delayOf, () => ask(exchange), systemClock, signal);
  return guards.length === 0 ? askAll() : GuardedExchange.open({ guards, emit: io.emit, signal, holds: holdAnswers }, request).then(askAll);
}
