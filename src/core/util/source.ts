// Decision 448: an async iterable takes several promises for each item; a push takes none.

/** Items that are pushed to a reader, a batch at a time. */
export interface Source<T> {
  subscribe(reader: SourceReader<T>): Subscription;
}

/** Reader of a source. Never called before `subscribe` returns, after `stop`, or after `end` or `fail`. */
export interface SourceReader<T> {
  tell(items: readonly T[]): void;
  end(): void;
  fail(cause: unknown): void;
}

/** A reader's hold on its source. */
export interface Subscription {
  /** Nothing is told until `resume`. What happens meanwhile waits in the source. */
  hold(): void;
  resume(): void;
  stop(): void;
}

/** An async iterable that can also be pushed. */
export type PushedIterable<T> = AsyncIterable<T> & Source<T>;

const isSource = <T>(items: AsyncIterable<T>): items is PushedIterable<T> => 'subscribe' in items && typeof items.subscribe === 'function';

/** Returns the source of an iterable: its own, or one that reads it item by item. */
export const sourceOf = <T>(items: AsyncIterable<T>): Source<T> =>
  isSource(items) ? items : { subscribe: (reader) => readTo(items, reader) };

function readTo<T>(items: AsyncIterable<T>, reader: SourceReader<T>): Subscription {
  const gate = new Gate();
  const iterator = items[Symbol.asyncIterator]();
  const read = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        await gate.passed();
        if (gate.isStopped) return;
        reader.tell([next.value]);
      }
      await gate.passed();
      if (!gate.isStopped) reader.end();
    } catch (cause) {
      if (!gate.isStopped) reader.fail(cause);
    }
  };
  void read();
  return {
    hold: () => gate.hold(),
    resume: () => gate.resume(),
    stop: () => {
      gate.stop();
      iterator.return?.()?.catch(() => {}); // nobody waits for what it would say
    },
  };
}

/** State of a subscription whose source is read with promises. */
export class Gate {
  #held: PromiseWithResolvers<void> | undefined;
  isStopped = false;

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  resume(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  stop(): void {
    this.isStopped = true;
    this.resume();
  }

  /** Settles when nothing is held. */
  async passed(): Promise<void> {
    while (this.#held) await this.#held.promise;
  }
}

export interface PusherOptions<T> {
  readonly reader: SourceReader<T>;
  /** Returns the items that the reader has not been told. */
  readonly take: () => readonly T[];
  /** True when no further items come. */
  readonly isOver: () => boolean;
  readonly onStop: () => void;
}

/** Tells a reader what has come, once per turn of promises. Call `wake` when something has. */
export class Pusher<T> implements Subscription {
  readonly #options: PusherOptions<T>;
  #state: 'open' | 'held' | 'stopped' = 'open';
  #isScheduled = false;

  constructor(options: PusherOptions<T>) {
    this.#options = options;
    this.wake();
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  wake(): void {
    if (this.#isScheduled || this.#state !== 'open') return;
    this.#isScheduled = true;
    queueMicrotask(this.#flush);
  }

  hold(): void {
    if (this.#state === 'open') this.#state = 'held';
  }

  resume(): void {
    if (this.#state === 'held') this.#state = 'open';
    this.wake();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#options.onStop();
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (!this.#isOpen()) return;
    const { reader, take, isOver } = this.#options;
    const items = take();
    if (items.length > 0) reader.tell(items);
    if (!this.#isOpen() || !isOver()) return; // the reader may have stopped it
    this.stop();
    reader.end();
  };

  #isOpen(): boolean {
    return this.#state === 'open';
  }
}

/** Converts the items of a source. An error of `convert` fails the reader. */
export function mapSource<T, U>(source: Source<T>, convert: (item: T) => readonly U[], atEnd: () => readonly U[] = () => []): Source<U> {
  return {
    subscribe(reader) {
      let isOver = false;
      const tell = (make: () => readonly U[]): void => {
        try {
          const made = make();
          if (made.length > 0) reader.tell(made);
        } catch (cause) {
          isOver = true;
          reader.fail(cause);
        }
      };
      const subscription = source.subscribe({
        tell: (items) => {
          if (!isOver) tell(() => items.flatMap(convert));
          if (isOver) subscription.stop();
        },
        end: () => {
          if (isOver) return;
          tell(atEnd);
          if (!isOver) reader.end();
          isOver = true;
        },
        fail: (cause) => {
          if (!isOver) reader.fail(cause);
          isOver = true;
        },
      });
      return subscription;
    },
  };
}

/** Reads a source item by item. */
export async function* readSource<T>(source: Source<T>): AsyncGenerator<T, void, undefined> {
  let told: readonly T[] = [];
  let end: { readonly cause?: unknown } | undefined;
  let wake = (): void => {};
  const subscription = source.subscribe({
    tell: (items) => {
      told = told.length === 0 ? items : [...told, ...items];
      subscription.hold();
      wake();
    },
    end: () => {
      end = {};
      wake();
    },
    fail: (cause) => {
      end = { cause };
      wake();
    },
  });
  try {
    for (;;) {
      const items = told;
      told = [];
      yield* items;
      if (told.length > 0) continue;
      if (end) break;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      subscription.resume();
      await woken;
    }
    if ('cause' in end) throw end.cause;
  } finally {
    subscription.stop();
  }
}

/** Returns the items of an iterable that is still being looked up. */
export function lateSource<T>(find: () => Promise<AsyncIterable<T>>): PushedIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* await find();
    },
    subscribe(reader) {
      const gate = new Gate();
      let found: Subscription | undefined;
      const open = async (): Promise<void> => {
        try {
          const source = sourceOf(await find());
          await gate.passed();
          if (!gate.isStopped) found = source.subscribe(reader);
        } catch (cause) {
          await gate.passed();
          if (!gate.isStopped) reader.fail(cause);
        }
      };
      void open();
      return {
        hold: () => (found ?? gate).hold(),
        resume: () => (found ?? gate).resume(),
        stop: () => {
          gate.stop();
          found?.stop();
        },
      };
    },
  };
}
