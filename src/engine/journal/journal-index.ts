import { WorkflowError } from '../../core/errors/errors.ts';
import type { EntryKind, JournalEntry } from '../../core/ports/run-store.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { migrationOf } from '../drive/migrated.ts';

/** Index of a journal by key. Maps for steps and timers are created with their first entry, because most runs have none. */
export class JournalIndex {
  readonly #outcomes = new Map<string, JournalEntry>();
  #unrequested: Set<string> | undefined;
  #intents: Map<string, JournalEntry> | undefined;
  #due: Map<string, number> | undefined;
  /** Expiries written for a question, by its key. */
  #expiries: Map<string, readonly number[]> | undefined;
  /** Last epoch in which a step of a node was written, by node, except the first epoch. */
  #lastEpoch: Map<string, number> | undefined;

  // Decision 1: a journal of outcomes is replayed; XState snapshots have no version and repeat promises.
  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) {
      // A store makes new objects of its entries. An outcome that was frozen at the start of the run is frozen deeply.
      if (!Object.isFrozen(entry.outcome)) deepFreeze(entry.outcome);
      this.learn(entry);
      // a workflow inside a node requests its outcomes when it reaches them
      if (endsWait(entry.kind) && !entry.key.includes('/')) {
        this.#unrequested ??= new Set();
        this.#unrequested.add(entry.key);
      }
      const migrated = migrationOf(entry);
      if (!migrated) continue;
      this.#unrequested = undefined; // the machine begins at the migration
      for (const [key, known] of Object.entries(migrated.open)) this.setDue(key, known);
    }
  }

  get outcomes(): ReadonlyMap<string, JournalEntry> {
    return this.#outcomes;
  }

  outcome(key: string): JournalEntry | undefined {
    return this.#outcomes.get(key);
  }

  /** Intent of a `once` step that is about to run, or that has run without an outcome. */
  intent(key: string): JournalEntry | undefined {
    return this.#intents?.get(key);
  }

  /**
   * Time at which a timer is due, in milliseconds since 1970. For a question from before a migration: number of the outcome that had been
   * delivered last.
   */
  due(key: string): number | undefined {
    return this.#due?.get(key);
  }

  setDue(key: string, at: number): void {
    this.#due ??= new Map();
    this.#due.set(key, at);
  }

  /** Expiries of a question, in milliseconds since 1970: that of the first time it was asked, then one per renewal. */
  expiriesOf(key: string): readonly number[] {
    return this.#expiries?.get(key) ?? [];
  }

  addExpiry(key: string, at: number): void {
    this.#expiries ??= new Map();
    this.#expiries.set(key, [...this.expiriesOf(key), at]);
  }

  /** Last epoch in which a step of this node was written. 0 if there was none after the first epoch. */
  lastEpochOf(node: string): number {
    return this.#lastEpoch?.get(node) ?? 0;
  }

  /** Steps of a node that have an outcome, in the order in which they ended. */
  stepsOf(node: string): readonly string[] {
    const prefix = `${node}/`;
    return [...this.#outcomes].flatMap(([key, { kind }]) => (kind === 'step' && key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  /** Returns the entry of these keys whose outcome was written first. */
  first(keys: ReadonlyMap<string, unknown>): JournalEntry | undefined {
    let first: JournalEntry | undefined;
    for (const key of keys.keys()) {
      const entry = this.#outcomes.get(key);
      if (entry && (!first || entry.seq < first.seq)) first = entry;
    }
    return first;
  }

  /** Records that the machine has requested the outcome of `key`. */
  request(key: string): void {
    this.#unrequested?.delete(key);
  }

  /** @throws {WorkflowError} `JOURNAL_DIVERGED` when there are outcomes that the machine has not requested. */
  assertReplayed(at: string): void {
    if (!this.#unrequested?.size) return;
    const [unrequested = ''] = this.#unrequested;
    throw new WorkflowError({
      code: 'JOURNAL_DIVERGED',
      message: `The journal continues with "${unrequested}", but the machine is at "${at}".`,
      hint: 'Make guards, reducers and toMachineInput depend on their arguments only. One of them returns another value than before.',
      data: { expected: unrequested, found: at },
    });
  }

  learn(entry: JournalEntry): void {
    const { kind, key, epoch } = entry;
    if (kind === 'timer-start' && key.endsWith(expirySuffix)) this.addExpiry(key.slice(0, -expirySuffix.length), Number(entry.outcome));
    else if (kind === 'timer-start') this.setDue(key, Number(entry.outcome));
    else if (kind === 'retry') this.#intents?.delete(key);
    else if (kind === 'intent') {
      this.#intents ??= new Map();
      this.#intents.set(key, entry);
    } else if (endsWait(kind) || kind === 'step') this.#outcomes.set(key, entry);
    if (epoch > 1 && (kind === 'step' || kind === 'intent' || kind === 'retry')) {
      this.#lastEpoch ??= new Map();
      this.#lastEpoch.set(key.slice(0, key.lastIndexOf('/')), epoch);
    }
  }
}

/** Suffix to the key of a question. The entry with this key holds the expiry. */
export const expirySuffix = '/expires';

/** True for the kinds of entries that a machine receives as events. */
export const endsWait = (kind: EntryKind): boolean => kind === 'node' || kind === 'event' || kind === 'timer';
