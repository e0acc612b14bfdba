import { type Clock, type RunStore, WorkflowError } from 'agent-machines';

/** Some moment: the first of January of 2026. */
const startMs = Date.UTC(2026, 0, 1);

interface Event {
  readonly at: number;
  readonly order: number;
  readonly of: VirtualProcess | undefined;
  readonly happen: () => void;
}

/** What is a process in it: dropped, it does nothing more; frozen, it does so later. */
export interface VirtualProcess {
  readonly name: string;
  readonly clock: Clock;
  isDead: boolean;
  frozenUntil: number;
  /** By how much its wall clock is wrong. In milliseconds. */
  wallOffsetMs: number;
}

/** Time, and all that happens in it in an order that one seed decides: nothing waits for the machine. */
export class VirtualWorld {
  now = 0;
  /** Events so far. */
  happened = 0;
  /** True: no call of a store fails or is slow any more. */
  isCalm = false;
  readonly random: () => number;
  #events: Event[] = [];
  #order = 0;

  constructor(random: () => number) {
    this.random = random;
  }

  /** A number from `least` on, below `most`. */
  between(least: number, most: number): number {
    return Math.floor(least + this.random() * (most - least));
  }

  chance(part: number): boolean {
    return this.random() < part;
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all[this.between(0, all.length)];
  }

  /** Lets something happen later; of a process that is dead by then, it does not. Returns what takes it back. */
  later(delayMs: number, of: VirtualProcess | undefined, happen: () => void): () => void {
    const event = { at: this.now + Math.max(0, delayMs), order: this.#order++, of, happen };
    this.#push(event);
    return () => {
      this.#events = this.#events.filter((other) => other !== event);
    };
  }

  sleep(delayMs: number, of: VirtualProcess | undefined): Promise<void> {
    return new Promise((resolve) => void this.later(delayMs, of, resolve));
  }

  process(name: string): VirtualProcess {
    const base = this.between(0, 1e9);
    const process: VirtualProcess = {
      name,
      isDead: false,
      frozenUntil: 0,
      wallOffsetMs: 0,
      clock: {
        now: () => startMs + this.now + process.wallOffsetMs,
        monotonic: () => base + this.now,
        schedule: (delayMs, callback) => this.later(delayMs, process, callback),
      },
    };
    return process;
  }

  /** Lets time pass until then, or until there is nothing more to wait for. */
  async pass(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    for (;;) {
      await turn();
      if (isOver()) return;
      const next = this.#events[0];
      if (!next || next.at > untilMs) break;
      this.#events.shift();
      this.now = Math.max(this.now, next.at);
      const { of } = next;
      if (of?.isDead) continue;
      if (of && of.frozenUntil > this.now) this.#push({ ...next, at: of.frozenUntil, order: this.#order++ });
      else {
        this.happened++;
        next.happen();
      }
    }
    this.now = Math.max(this.now, untilMs);
  }

  #push(event: Event): void {
    let place = this.#events.length;
    while (place > 0 && isBefore(event, this.#events[place - 1])) place--;
    this.#events.splice(place, 0, event);
  }

  /** A store as one process has it: behind a line that is slow, breaks, and loses answers. What was sent arrives though its sender dies. */
  storeOf(process: VirtualProcess, store: RunStore): RunStore {
    /** What is sent of one run arrives in its order. */
    const arrivals = new Map<string, number>();
    const send = <T>(place: string, work: () => T | Promise<T>): Promise<T> => {
      const { isCalm } = this;
      const slow = !isCalm && this.chance(0.02) ? 4_000 : 30;
      const there = Math.max(this.now + this.between(1, slow), arrivals.get(place) ?? 0);
      arrivals.set(place, there);
      const back = this.between(1, slow);
      const isLost = !isCalm && this.chance(0.01);
      const isUnheard = !isCalm && this.chance(0.01);
      const isUnsent = this.chance(0.5);
      return new Promise<T>((resolve, reject) => {
        const answer = (tell: () => void): void => void this.later(back, process, tell);
        const arrive = async (): Promise<void> => {
          if (process.isDead && isUnsent) return;
          if (isLost) return answer(() => reject(unavailable()));
          try {
            const result = await work();
            answer(isUnheard ? () => reject(unavailable()) : () => resolve(result));
          } catch (cause) {
            answer(() => reject(cause));
          }
        };
        this.later(there - this.now, undefined, () => void arrive());
      });
    };
    const methods = Object.entries(store).map(([name, method]: [string, unknown]) => {
      if (typeof method !== 'function' || local.has(name)) return [name, method];
      return [name, (...args: readonly unknown[]) => send(placeOf(args[0]), () => method.apply(store, args))];
    });
    return Object.fromEntries(methods) as RunStore;
  }
}

/** What a store answers by itself. */
const local = new Set(['mayLive', 'watch', 'onTakenOver', 'close']);

const placeOf = (first: unknown): string => {
  const { runId, id } = (first ?? {}) as { readonly runId?: string; readonly id?: string };
  return runId ?? id ?? (typeof first === 'string' ? first : '');
};

const unavailable = (): WorkflowError =>
  new WorkflowError({ code: 'STORE_UNAVAILABLE', message: 'The line is cut.', hint: 'Try again.', retryable: true });

const isBefore = (one: Event, other: Event | undefined): boolean =>
  other !== undefined && (one.at < other.at || (one.at === other.at && one.order < other.order));

/** Lets all go on that is ready. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
