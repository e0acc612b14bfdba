import type { GuardContext, GuardedPiece, GuardStream, TextGuard } from '../core/ports/text-guard.ts';
import { failureOf, guardEvent, guardHeld, guardStopped, isVerdict, type TellVerdict, VerdictInvalid } from '../core/util/apply-guards.ts';

interface GuardedTextOptions {
  readonly guards: readonly TextGuard[];
  readonly context: GuardContext;
  /** Restores masked values; `undefined` ends the text. */
  readonly restored: (piece: string | undefined) => string;
  readonly show: (text: string) => void;
  /** Ends the request of a reply that a guard refuses. */
  readonly refuse: (reason: unknown) => void;
  readonly tell: TellVerdict;
  /** Takes the rest of a held reply, and shows none of it. Otherwise a hold is refused. */
  readonly holds: boolean;
}

/** A streamed reply between the model and its reader. A guard without a stream holds back everything, because it judges the whole text. */
export class GuardedText {
  readonly #options: GuardedTextOptions;
  readonly #streams: readonly (readonly [TextGuard, GuardStream])[] | undefined;
  readonly #heldBy: string[] = [];
  #received = '';
  #queue: Promise<void> = Promise.resolve();
  #error: { readonly cause: unknown } | undefined;

  constructor(options: GuardedTextOptions) {
    const { guards, context } = options;
    this.#options = options;
    const streams = guards.flatMap((guard) => {
      const stream = guard.stream?.(context);
      return stream ? [[guard, stream] as const] : [];
    });
    this.#streams = streams.length === guards.length ? streams : undefined;
  }

  push(piece: string): void {
    this.#take(this.#options.restored(piece), false);
  }

  /** Shows the rest. @throws the refusal of a guard. */
  async end(): Promise<void> {
    this.#take(this.#options.restored(undefined), true);
    await this.#queue;
    if (this.#error) throw this.#error.cause;
  }

  /** True if the model has streamed text, and nothing is shown before the whole of it is checked. */
  get isHeldBack(): boolean {
    return this.#streams === undefined && this.#received !== '';
  }

  /** Waits for the pieces so far. Returns the error of the guard that has ended the reply. */
  async refusal(): Promise<unknown> {
    await this.#queue;
    return this.#error?.cause;
  }

  /** Guards that hold the reply, once it has ended. */
  get heldBy(): readonly string[] {
    return this.#heldBy;
  }

  /** The context that the guards have seen, if they have seen this text. */
  contextOf(text: string): GuardContext | undefined {
    return text === this.#received ? this.#options.context : undefined;
  }

  #take(piece: string, isLast: boolean): void {
    this.#received += piece;
    const streams = this.#streams;
    if (!streams) return;
    if (streams.length === 0) {
      if (piece !== '') this.#options.show(piece);
      return;
    }
    this.#queue = this.#queue.then(async () => {
      if (this.#error) return;
      try {
        const shown = await this.#pass(streams, piece, isLast);
        if (shown !== '' && this.#heldBy.length === 0) this.#options.show(shown);
      } catch (cause) {
        this.#error = { cause };
        this.#options.refuse(cause);
      }
    });
  }

  async #pass(streams: readonly (readonly [TextGuard, GuardStream])[], piece: string, isLast: boolean): Promise<string> {
    let text = piece;
    for (const [guard, stream] of streams) {
      const decided = text === '' ? '' : this.#decided(guard, await this.#ask(guard, () => stream.push(text)));
      text = decided + (isLast ? this.#decided(guard, await this.#ask(guard, () => stream.end())) : '');
    }
    return text;
  }

  async #ask(guard: TextGuard, ask: () => GuardedPiece | Promise<GuardedPiece>): Promise<GuardedPiece> {
    const { context, tell } = this.#options;
    try {
      return await ask();
    } catch (thrown) {
      throw failureOf(guard, context, thrown, tell);
    }
  }

  #decided(guard: TextGuard, piece: GuardedPiece): string {
    if (typeof piece === 'string') return piece;
    const { context, tell, holds } = this.#options;
    if (!isVerdict(piece) || (piece.as !== 'stop' && piece.as !== 'hold')) throw failureOf(guard, context, new VerdictInvalid(), tell);
    if (piece.as === 'hold' && this.#heldBy.includes(guard.name)) return '';
    tell(guardEvent(guard.name, context.border, piece.as, piece.reason));
    if (piece.as === 'hold' && holds) {
      this.#heldBy.push(guard.name);
      return '';
    }
    throw (piece.as === 'stop' ? guardStopped : guardHeld)(guard.name, context.border);
  }
}
