import { milliseconds, oneLine } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const eraseLine = '\r\u001b[2K';

/** Output of the animated line: a part of `process.stderr`. */
export interface WaitScreen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface WaitLineOptions {
  /** @default process.stderr */
  readonly screen?: WaitScreen;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Idle time before the line appears, in milliseconds. @default 400 */
  readonly afterMs?: number;
}

/** An animated line while a model is slow, on a terminal only. Stop it before writing anything else. */
export class WaitLine {
  readonly #screen: WaitScreen;
  readonly #moves: boolean;
  readonly #afterMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;

  constructor({ screen = process.stderr, env = process.env, afterMs = 400 }: WaitLineOptions = {}) {
    this.#screen = screen;
    this.#moves = screen.isTTY === true && !env.CI && env.TERM !== 'dumb';
    this.#afterMs = afterMs;
  }

  /** @param what Label of the pending work, one or two words. */
  start(what: string): void {
    this.stop();
    if (!this.#moves) return;
    const begin = performance.now();
    let frame = 0;
    this.#timer = setInterval(() => {
      const elapsedMs = performance.now() - begin;
      if (elapsedMs < this.#afterMs) return;
      const seconds = elapsedMs < 1_000 ? milliseconds(elapsedMs) : `${Math.floor(elapsedMs / 1_000)} s`;
      const text = oneLine(`${what} · ${seconds}`, (this.#screen.columns ?? 80) - 5);
      this.#screen.write(`${eraseLine}  ${frames[frame++ % frames.length]} ${text}`);
      this.#isDrawn = true;
    }, 100).unref();
  }

  /** Removes the line. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#isDrawn) this.#screen.write(eraseLine);
    this.#isDrawn = false;
  }
}
