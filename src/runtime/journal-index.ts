import { WorkflowError } from '../errors.ts';
import type { EntryKind, JournalEntry } from '../ports/run-store.ts';
import { deepFreeze } from '../util/deep-freeze.ts';
import { migrationOf } from './migrated.ts';

/** What a journal says, by key. Most runs have no steps and timers: what holds those is made when the first one comes. */
export class JournalIndex {
  /** Outcomes of nodes, steps, events and timers. */
  readonly #outcomes = new Map<string, JournalEntry>();
  /** Outcomes that the machine has not asked for yet. */
  #unasked: Set<string> | undefined;
  #intents: Map<string, JournalEntry> | undefined;
  #due: Map<string, number> | undefined;
  /** Expiries that were written for a question, by its key. */
  #expiries: Map<string, readonly number[]> | undefined;
  /** The last epoch in which something of this node was written, but for the first one. */
  #lastEpoch: Map<string, number> | undefined;

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) {
      // a store makes new objects of what it has stored; what was frozen when the run was started is so however deep
      if (!Object.isFrozen(entry.outcome)) deepFreeze(entry.outcome);
      this.learn(entry);
      // a workflow inside a node asks for its own when it comes to them
      if (endsWait(entry.kind) && !entry.key.includes('/')) {
        this.#unasked ??= new Set();
        this.#unasked.add(entry.key);
      }
      const migrated = migrationOf(entry);
      if (!migrated) continue;
      this.#unasked = undefined; // the machine goes on from here
      for (const [key, known] of Object.entries(migrated.open)) this.setDue(key, known);
    }
  }

  get outcomes(): ReadonlyMap<string, JournalEntry> {
    return this.#outcomes;
  }

  outcome(key: string): JournalEntry | undefined {
    return this.#outcomes.get(key);
  }

  /** That a `once` step is about to run, or has run without an outcome. */
  intent(key: string): JournalEntry | undefined {
    return this.#intents?.get(key);
  }

  /** When a timer is due, in milliseconds since 1970. Of a question from before a migration: the outcome that had been delivered by then. */
  due(key: string): number | undefined {
    return this.#due?.get(key);
  }

  setDue(key: string, at: number): void {
    this.#due ??= new Map();
    this.#due.set(key, at);
  }

  /** When a question expires, in milliseconds since 1970: as it was asked first, then as it was asked again. */
  expiriesOf(key: string): readonly number[] {
    return this.#expiries?.get(key) ?? [];
  }

  addExpiry(key: string, at: number): void {
    this.#expiries ??= new Map();
    this.#expiries.set(key, [...this.expiriesOf(key), at]);
  }

  /** The epoch in which a step of this node was written last; 0 when none was after the first epoch. */
  lastEpochOf(node: string): number {
    return this.#lastEpoch?.get(node) ?? 0;
  }

  /** The steps of a node that have an outcome, in the order in which they ended. */
  stepsOf(node: string): readonly string[] {
    const prefix = `${node}/`;
    return [...this.#outcomes].flatMap(([key, { kind }]) => (kind === 'step' && key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  /** Of these keys, the one whose outcome was written first. */
  first(keys: ReadonlyMap<string, unknown>): JournalEntry | undefined {
    let first: JournalEntry | undefined;
    for (const key of keys.keys()) {
      const entry = this.#outcomes.get(key);
      if (entry && (!first || entry.seq < first.seq)) first = entry;
    }
    return first;
  }

  /** Takes note that the machine has come to something. */
  ask(key: string): void {
    this.#unasked?.delete(key);
  }

  /** @throws {WorkflowError} `JOURNAL_DIVERGED` when there are outcomes that the machine has not asked for. */
  assertReplayed(at: string): void {
    if (!this.#unasked?.size) return;
    const [unasked = ''] = this.#unasked;
    throw new WorkflowError({
      code: 'JOURNAL_DIVERGED',
      message: `The journal goes on with "${unasked}", but the machine has come to "${at}".`,
      hint: 'A guard, a reducer or toMachineInput answers otherwise than before: they may depend on their arguments only.',
      data: { expected: unasked, found: at },
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

/** Behind the key of a question: when it expires. */
export const expirySuffix = '/expires';

/** The kinds that end a wait of the machine. */
const endsWait = (kind: EntryKind): boolean => kind === 'node' || kind === 'event' || kind === 'timer';
