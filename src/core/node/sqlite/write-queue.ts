import { performance } from 'node:perf_hooks';
import { growingDelay } from '../../util/retryer.ts';
import { systemClock } from '../../util/system-clock.ts';
import { isLocked, lockPolicy } from './when-unlocked.ts';

/** A write to an SQLite file. */
export interface Write {
  /** Runs it as a transaction of its own. */
  readonly alone: () => void;
  /** Runs it within a transaction of several writes. Absent: it always runs alone. */
  readonly within?: () => void;
  /** Called after the commit, in the order of the writes. */
  readonly committed: () => void;
  /** Two writes of one key never share a transaction. Absent: the write needs nothing that others do after their commit. */
  readonly key?: string | undefined;
}

export interface WriteQueueOptions {
  /** Maximum wait of a write for the lock and for earlier writes, in milliseconds; then SQLite's error is thrown. */
  readonly timeoutMs: number;
  /** Commits the writes of one turn of the event loop together, except for the first. */
  readonly inGroups: boolean;
  /** Runs works in one transaction; an error of one undoes that one alone. Throws, with nothing written, if the commit fails. */
  readonly together: (works: readonly (() => void)[]) => readonly PromiseSettledResult<void>[];
  /** Called after each commit; its error becomes that of the writes. */
  readonly afterCommit: () => void;
}

// Decision 447: a commit waits for the disk, and blocks the process meanwhile.

interface Waiting {
  readonly write: Write;
  /** By the monotonic clock, in milliseconds. */
  readonly giveUpAt: number;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Writes to an SQLite file in the order of their requests.
 *
 * A commit waits for the disk and blocks the process meanwhile. So, in groups, the first write of a turn of the event loop is committed at
 * once, and the others of that turn in one transaction at its end: a turn has two commits at most.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #waiting: Waiting[] = [];
  /** True while a new write has to wait. */
  #isTaken = false;
  /** Number of times in a row that the file was locked. */
  #lockedTimes = 0;
  /** Commits of the last turn with one. */
  #commits: { readonly turn: number | undefined; readonly count: number } = { turn: undefined, count: 0 };
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** Returns nothing if the write is committed, or a promise that it will be. */
  write(write: Write): Promise<void> | undefined {
    if (this.#isTaken) return this.#wait(write);
    try {
      this.#commitAlone(write);
    } catch (cause) {
      if (!isLocked(cause)) throw cause;
      this.#takeTurn(true);
      return this.#wait(write);
    }
    if (this.#options.inGroups) this.#takeTurn(false);
    return undefined;
  }

  /** Settles when no write waits; `undefined` if none does now. */
  get idle(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return undefined;
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  #wait(write: Write): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ write, giveUpAt: performance.now() + this.#options.timeoutMs, resolve, reject });
    return promise;
  }

  /** Lets later writes wait: for the end of the turn, or for the lock. */
  #takeTurn(isLocked: boolean): void {
    this.#isTaken = true;
    const next = (): void => this.#next();
    if (!isLocked) setImmediate(next);
    // random, so that two waiting processes do not collide again
    else systemClock.schedule(growingDelay(++this.#lockedTimes, lockPolicy) * (0.5 + Math.random()), next);
  }

  #next(): void {
    const group = this.#nextGroup();
    try {
      this.#commit(group);
      this.#lockedTimes = 0;
      if (this.#waiting.length > 0 || (group.length > 0 && this.#commitsOfTurn() > 1)) this.#takeTurn(false);
      else this.#rest();
    } catch (cause) {
      if (isLocked(cause)) this.#waiting = [...group, ...this.#waiting].filter((one) => !this.#gaveUp(one, cause));
      else for (const { reject } of group) reject(cause);
      this.#takeTurn(isLocked(cause));
    }
  }

  /** The next write begins a new turn. */
  #rest(): void {
    this.#isTaken = false;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #gaveUp({ giveUpAt, reject }: Waiting, cause: unknown): boolean {
    if (performance.now() < giveUpAt) return false;
    reject(cause);
    return true;
  }

  /** The oldest waiting writes that one transaction can hold. */
  #nextGroup(): readonly Waiting[] {
    const keys = new Set<string>();
    const end = this.#waiting.findIndex(({ write: { within, key } }) => {
      if (!within || (key !== undefined && keys.has(key))) return true;
      if (key !== undefined) keys.add(key);
      return false;
    });
    const isAlone = !this.#options.inGroups || end === 0;
    return this.#waiting.splice(0, isAlone ? 1 : end < 0 ? this.#waiting.length : end);
  }

  #commit(group: readonly Waiting[]): void {
    const [first, ...others] = group;
    if (first && others.length === 0) {
      this.#commitAlone(first.write);
      first.resolve();
      return;
    }
    if (!first) return;
    const works = group.flatMap(({ write: { within } }) => within ?? []);
    const results = this.#options.together(works);
    this.#count();
    for (const [index, { write, resolve, reject }] of group.entries()) {
      const result = results[index];
      if (result?.status === 'rejected') reject(result.reason);
      else {
        write.committed();
        resolve();
      }
    }
  }

  #commitAlone({ alone, committed }: Write): void {
    alone();
    this.#count();
    committed();
  }

  #count(): void {
    this.#commits = { turn: loopTurn(), count: this.#commitsOfTurn() + 1 };
    this.#options.afterCommit();
  }

  /** Number of commits in this turn of the event loop; 2 where turns are not counted. */
  #commitsOfTurn(): number {
    const turn = loopTurn();
    if (turn === undefined) return 2;
    return this.#commits.turn === turn ? this.#commits.count : 0;
  }
}

/** Number of this turn of the event loop. Only Node counts them. */
const loopTurn = (): number | undefined => performance.nodeTiming?.uvMetricsInfo?.loopCount;
