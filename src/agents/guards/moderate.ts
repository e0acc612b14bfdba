import type { GuardContext, GuardedPiece, GuardStream, GuardVerdict, TextGuard } from '../../core/ports/text-guard.ts';
import { checkInteger } from '../../core/util/check-integer.ts';

/** Result of a moderation: a reason such as `violence`, or `undefined` if the text may pass. */
export type ModerationResult = string | undefined;

export interface ModerateOptions {
  /** Judges a text. The reason is stored, so it must not quote the text. */
  readonly check: (text: string, options: { readonly signal: AbortSignal }) => ModerationResult | Promise<ModerationResult>;
  /** `answer`: replies that a user sees. `request`: new messages of the user, before the model is asked. @default ['answer'] */
  readonly at?: readonly ('request' | 'answer')[];
  /**
   * `hold` shows a streamed reply after its check. With a window, a piece of about this many characters is shown after its check, and a later
   * verdict withdraws what a reader has seen by then. @default 'hold'
   */
  readonly stream?: 'hold' | { readonly window: number };
  /** @default 'stop' */
  readonly verdict?: 'stop' | 'hold';
  /** @default 'moderate' */
  readonly name?: string;
}

/**
 * Guard that asks another service about the text, such as `openaiModeration`. If the service fails, the run stops with `GUARD_FAILED`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example toolAgent({ model, guards: [moderate({ check: openaiModeration({ apiKey }), at: ['request', 'answer'] })] })
 */
export function moderate({ check, at = ['answer'], stream = 'hold', verdict = 'stop', name = 'moderate' }: ModerateOptions): TextGuard {
  const judge = async (text: string, { signal }: GuardContext): Promise<GuardVerdict | undefined> => {
    const reason = text.trim() === '' ? undefined : await check(text, { signal });
    return reason === undefined ? undefined : { as: verdict, reason };
  };
  /** Contexts whose stream was checked to its end. */
  const streamed = new WeakSet<GuardContext>();
  const guard: TextGuard = {
    name,
    at,
    async check(text, context) {
      const { border, message, isNew, part } = context;
      const isUnseen = border === 'request' ? message?.role !== 'user' || !isNew : part === 'inner' || streamed.has(context);
      return (isUnseen ? undefined : await judge(text, context)) ?? { as: 'pass' };
    },
  };
  if (stream === 'hold') return guard;
  const window = checkInteger('stream.window', stream.window, { min: 1 });
  return {
    ...guard,
    stream: (context) =>
      new WindowStream(
        window,
        (text) => judge(text, context),
        () => streamed.add(context),
      ),
  };
}

/** The text up to the end of its last sentence. */
const sentences = /^[\s\S]*(?:[.!?。！？…]["'”’)\]]*\s|\n)/;
/** A sentence that is longer than so many windows is cut. */
const maxWindows = 4;

/** Checks a reply window by window, each with the one before it, because a sentence may need its beginning. */
class WindowStream implements GuardStream {
  readonly #window: number;
  readonly #judge: (text: string) => Promise<GuardVerdict | undefined>;
  readonly #ended: () => void;
  #before = '';
  #held = '';

  constructor(window: number, judge: (text: string) => Promise<GuardVerdict | undefined>, ended: () => void) {
    this.#window = window;
    this.#judge = judge;
    this.#ended = ended;
  }

  push(text: string): GuardedPiece | Promise<GuardedPiece> {
    this.#held += text;
    if (this.#held.length < this.#window) return '';
    const whole = sentences.exec(this.#held)?.[0].length ?? 0;
    if (whole >= this.#window) return this.#decide(whole);
    return this.#held.length < maxWindows * this.#window ? '' : this.#decide(this.#held.length);
  }

  async end(): Promise<GuardedPiece> {
    const piece = await this.#decide(this.#held.length);
    if (typeof piece === 'string') this.#ended();
    return piece;
  }

  async #decide(length: number): Promise<GuardedPiece> {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    const verdict = text === '' ? undefined : await this.#judge(this.#before + text);
    this.#before = text;
    return verdict?.as === 'stop' || verdict?.as === 'hold' ? verdict : text;
  }
}
