import { toErrorInfo } from '../core/errors/errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import { hasCode } from '../core/util/has-code.ts';
import { retryWith } from '../core/util/retryer.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { filterLinks, type LinkRule, linkFilter } from './foreign-links.ts';
import { reasoningParts } from './reasoning-parts.ts';
import { usageOfError } from './spent-usage.ts';

export interface AskModelOptions {
  readonly io: Pick<NodeIo, 'emit' | 'signal'>;
  /** Streams the reply's text as `token` events. @default false */
  readonly stream?: boolean;
  /**
   * Rule for images and links in the reply and its events; those that it does not allow are removed. A link also stays if its URL occurs in
   * a request message that the model did not write. Default: all stay.
   */
  readonly links?: LinkRule | undefined;
}

/** Retries a cut stream. All other failures are retried only by the model's own client, or not at all. */
const streamPolicy = { attempts: 2, delayMs: 0 };

/**
 * Calls a model inside a node. Reports the call, counts it towards the run's limits, and retries if the reply's stream is cut. The model's
 * reasoning is emitted as `thinking` events of the step `reasoning`.
 *
 * @throws {WorkflowError} `LIMIT_EXCEEDED`, and the errors of the model.
 * @example const reply = await askModel(model, { task: 'trip.answer', messages }, { io, stream: true });
 */
export function askModel(model: ChatModel, request: ChatRequest, { io, stream = false, links }: AskModelOptions): Promise<ChatReply> {
  const { task } = request;
  const sources = links ? request.messages.flatMap(({ role, content }) => (role === 'assistant' ? [] : [content])) : [];
  const clean = (text: string): string => (links ? filterLinks(text, links, sources) : text);
  const signal = request.signal ? AbortSignal.any([io.signal, request.signal]) : io.signal;
  const ask = async (): Promise<ChatReply> => {
    signal.throwIfAborted();
    let shown = '';
    const reasoning = reasoningParts((content) => io.emit({ type: 'thinking', step: 'reasoning', content: clean(content) }));
    const filter = links && linkFilter(links, sources);
    const show = (text: string): void => {
      if (text === '') return;
      shown += text;
      io.emit({ type: 'token', text });
    };
    const onToken = (text: string): void => {
      reasoning.end();
      show(filter ? filter.push(text) : text);
    };
    io.emit({ type: 'model-start', task, model: model.name });
    const begun = performance.now();
    const durationMs = (): number => Math.round((performance.now() - begun) * 10) / 10;
    try {
      const whole = await model.generate({
        ...request,
        signal,
        ...(stream ? { onToken, onReasoning: reasoning.add } : {}),
      });
      reasoning.end(whole.reasoning);
      if (shown !== '' && filter) show(filter.end());
      const reply = links ? { ...whole, text: clean(whole.text) } : whole;
      if (shown !== '' && shown !== reply.text) {
        io.emit({ type: 'step-reset' }); // the earlier tokens were no answer, or came from a model that failed
        if (reply.text !== '') io.emit({ type: 'token', text: reply.text });
      }
      io.emit({ type: 'model-end', task, model: reply.model, durationMs: durationMs(), usage: reply.usage, cached: reply.cached });
      return reply;
    } catch (cause) {
      if (signal.aborted) throw cause;
      const usage = usageOfError(cause);
      io.emit({ type: 'model-end', task, model: model.name, durationMs: durationMs(), usage, cached: false, error: toErrorInfo(cause) });
      if (shown !== '') io.emit({ type: 'step-reset' });
      throw cause;
    }
  };
  const delayOf = (attempt: number, cause: unknown): number | undefined =>
    !signal.aborted && attempt < streamPolicy.attempts && hasCode(cause, 'MODEL_STREAM_CUT') ? streamPolicy.delayMs : undefined;
  return retryWith(delayOf, ask, systemClock, signal);
}
