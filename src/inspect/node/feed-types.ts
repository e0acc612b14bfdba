import type { Json } from '../../ports/json.ts';
import type { RunEvent } from '../../ports/run-event.ts';
import type { JournalEntry, RunStatus } from '../../ports/run-store.ts';
import type { MachineGraph } from '../../workflow/graph.ts';

/** A run of a database, or an actor of another XState app. */
export interface FeedRun {
  /** A run's id; of an actor, its session id behind the connection that tells of it. */
  readonly id: string;
  readonly source: 'database' | 'app';
  /** Id of the workflow, or the actor's name. */
  readonly name: string;
  readonly version?: string;
  /** Of an actor what XState calls it. */
  readonly status: RunStatus | 'active' | 'stopped' | 'error';
  /** Milliseconds since 1970, as all times of the feed. */
  readonly startedAt: number;
  readonly updatedAt: number;
  /** How many entries, or snapshots, there are so far. */
  readonly seq: number;
  readonly threadId?: string;
  /** The actor that has this one. */
  readonly parent?: string;
  /** Code of an error. */
  readonly failure?: string;
  readonly wakeAt?: number;
}

/** A journal entry, of which secrets and what is too long are left out. */
export type FeedEntry = Omit<JournalEntry, 'events'>;

/** An actor of another app after an event. */
export interface FeedSnapshot {
  readonly seq: number;
  readonly at: number;
  readonly event: Json;
  /** Paths of the active states, as in `GraphState.path`: those above others, too. */
  readonly active: readonly string[];
  readonly status: string;
  readonly context?: Json;
  readonly output?: Json;
  readonly error?: Json;
}

/** What one message of the feed says. A connection begins with `hello` and is told everything after it. */
export type FeedMessage =
  | { readonly name: 'hello'; readonly data: { readonly format: 1; readonly database: string | null } }
  | { readonly name: 'runs'; readonly data: { readonly runs: readonly FeedRun[] } }
  | { readonly name: 'run'; readonly data: { readonly run: FeedRun } }
  | { readonly name: 'graph'; readonly data: { readonly run: string; readonly graph: MachineGraph | null } }
  | { readonly name: 'events'; readonly data: { readonly run: string; readonly events: readonly RunEvent[] } }
  | { readonly name: 'entries'; readonly data: { readonly run: string; readonly entries: readonly FeedEntry[] } }
  | { readonly name: 'snapshots'; readonly data: { readonly run: string; readonly snapshots: readonly FeedSnapshot[] } }
  /** What keeps the server from reading; an empty code takes it back. */
  | { readonly name: 'trouble'; readonly data: { readonly code: string; readonly message: string } };

/** Whatever the page is told of one run. */
export interface FeedRunContents {
  readonly run: FeedRun;
  readonly graph: MachineGraph | null;
  readonly events: readonly RunEvent[];
  readonly entries: readonly FeedEntry[];
  readonly snapshots: readonly FeedSnapshot[];
}
