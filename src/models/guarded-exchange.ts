import type { ChatMessage, ChatReply, ChatRequest, ModelToolCall } from '../core/ports/chat-model.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import type { GuardContext, GuardExchange, TextGuard } from '../core/ports/text-guard.ts';
import { type GuardEvent, guardsAt, type Judged, judge, unheld } from '../core/util/apply-guards.ts';
import { isRepair } from '../core/util/repair-message.ts';
import { filesOf } from '../core/util/without-files.ts';
import { GuardedText } from './guarded-text.ts';
import { MaskRestorer } from './mask-restorer.ts';

/** A reply of a model, after the guards. */
export interface GuardedReply extends ChatReply {
  /** Guards that hold the answer until a human decides. Absent: none. */
  readonly heldBy?: readonly string[];
}

/** The part of a node's io that an exchange needs. */
interface ExchangeIo {
  readonly guards: readonly TextGuard[];
  readonly emit: NodeIo['emit'];
  readonly signal: AbortSignal;
  /** Returns an answer that a guard holds, with `heldBy`. Otherwise a hold is an error. */
  readonly holds: boolean;
}

/** A model request with its reply, between the guards of a workflow. The values that they mask exist only here. */
export class GuardedExchange {
  readonly #io: ExchangeIo;
  readonly #exchange: GuardExchange;
  readonly #answerGuards: readonly TextGuard[];
  readonly #restorer: MaskRestorer;
  /** Messages for the model. */
  readonly messages: readonly ChatMessage[];

  private constructor(io: ExchangeIo, exchange: GuardExchange, messages: readonly ChatMessage[], isJson: boolean) {
    this.#io = io;
    this.#exchange = exchange;
    this.messages = messages;
    this.#answerGuards = guardsAt(io.guards, 'answer');
    this.#restorer = new MaskRestorer(new Map(io.guards.flatMap((guard) => [...(guard.restores?.(exchange) ?? [])])), isJson);
  }

  /** Checks the messages of a request. @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`. */
  static async open(io: ExchangeIo, { task, messages, output }: ChatRequest): Promise<GuardedExchange> {
    const exchange: GuardExchange = { task, messages };
    const isJson = output !== undefined && output.type !== 'text';
    return new GuardedExchange(io, exchange, await checkMessages(io, exchange), isJson);
  }

  /** True if a guard checks the reply and its reasoning. */
  get checksAnswers(): boolean {
    return this.#answerGuards.length > 0;
  }

  /** Filters the pieces of a streamed reply. `show` receives what may be shown; `refuse` ends the request. */
  stream(show: (text: string) => void, refuse: (reason: unknown) => void): GuardedText {
    const { signal, emit, holds } = this.#io;
    const context: GuardContext = { border: 'answer', signal, exchange: this.#exchange };
    return new GuardedText({ guards: this.#answerGuards, context, restored: this.#restorer.stream(), show, refuse, tell: emit, holds });
  }

  /**
   * Restores the values in a complete reply and checks its text.
   *
   * @param streamed The reply's stream. A guard that has checked the same text in it gets the same context again.
   * @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`.
   */
  async check({ providerData, ...whole }: ChatReply, isShown: boolean, streamed: GuardedText | undefined): Promise<GuardedReply> {
    const restored = this.#restorer.restore(whole.text);
    const toolCalls = whole.toolCalls.map((call): ModelToolCall => ({ ...call, arguments: this.#restorer.restoreJson(call.arguments) }));
    const part = toolCalls.length > 0 ? 'calls' : isShown ? 'final' : 'inner';
    const context = streamed?.contextOf(restored) ?? { border: 'answer', signal: this.#io.signal, exchange: this.#exchange };
    const { text, heldBy } = await this.#judge(restored, Object.assign(context, { part }), streamed?.heldBy);
    if (!this.#io.holds || part !== 'final') unheld({ heldBy }, 'answer');
    // the provider's own copy of a changed text is not checked
    const kept = providerData && text === restored ? { providerData } : {};
    return { ...whole, text, toolCalls, ...kept, ...(heldBy.length > 0 ? { heldBy } : {}) };
  }

  /** Checks the model's reasoning. It keeps the names of masked values, because nothing needs the values there. */
  async checkThoughts(thoughts: readonly string[]): Promise<readonly string[]> {
    const checked: string[] = [];
    const { signal } = this.#io;
    for (const text of thoughts)
      checked.push(await this.#check(text, { border: 'answer', signal, exchange: this.#exchange, part: 'reasoning' }));
    return checked;
  }

  async #check(text: string, context: GuardContext): Promise<string> {
    return unheld(await this.#judge(text, context), 'answer').text;
  }

  /** @param heldBefore guards that have held the text while it was streamed. */
  async #judge(text: string, context: GuardContext, heldBefore: readonly string[] = []): Promise<Judged> {
    if (text === '') return { text, heldBy: heldBefore };
    const isNew = ({ verdict, guard }: GuardEvent): boolean => verdict !== 'hold' || !heldBefore.includes(guard);
    const judged = await judge(this.#answerGuards, text, context, (event) => isNew(event) && this.#io.emit(event));
    return { text: judged.text, heldBy: [...new Set([...heldBefore, ...judged.heldBy])] };
  }
}

async function checkMessages({ guards, signal, emit }: ExchangeIo, exchange: GuardExchange): Promise<readonly ChatMessage[]> {
  const requestGuards = guardsAt(guards, 'request');
  if (requestGuards.length === 0) return exchange.messages;
  const lastReply = exchange.messages.findLastIndex(({ role }) => role === 'assistant');
  // one event per guard: each request repeats the masks of the whole conversation
  const masks = new Map<string, GuardEvent>();
  const tell = (event: GuardEvent): void => {
    if (event.verdict === 'mask') masks.set(event.guard, event);
    else emit(event);
  };
  const checked: ChatMessage[] = [];
  for (const [index, message] of exchange.messages.entries()) {
    const context: GuardContext = { border: 'request', signal, exchange, message, isNew: index > lastReply && !isRepair(message) };
    const hasFiles = filesOf(message).length > 0;
    const checkText = async (text: string): Promise<string> =>
      text === '' && !hasFiles ? text : unheld(await judge(requestGuards, text, context, tell), 'request').text;
    const content = await checkText(message.content);
    if (message.role !== 'assistant' || !message.toolCalls) {
      checked.push({ ...message, content });
      continue;
    }
    const toolCalls: ModelToolCall[] = [];
    for (const call of message.toolCalls) toolCalls.push({ ...call, arguments: await checkText(call.arguments) });
    checked.push({ ...message, content, toolCalls });
  }
  for (const event of masks.values()) emit(event);
  return checked;
}
