import type { Json } from '../../../core/ports/json.ts';
import type { RunEvent } from '../../../core/ports/run-event.ts';
import type { JournalEntry, RunStatus } from '../../../core/ports/run-store.ts';
import type { MachineGraph } from '../../../engine/define/graph.ts';
import type { TakenEdge } from '../../../inspect/drawing/drawn-path.ts';

/** Run of a database, or actor of another XState app. */
export interface FeedRun {
  /** Id of the run. For an actor: its connection, then its session id. */
  readonly id: string;
  readonly source: 'database' | 'app';
  /** Id of the workflow, or name of the actor. */
  readonly name: string;
  readonly version?: string;
  /** Status of the run, or XState's status of the actor. */
  readonly status: RunStatus | 'active' | 'stopped' | 'error';
  /** Milliseconds since 1970, like all times of the feed. */
  readonly startedAt: number;
  readonly updatedAt: number;
  /** Number of entries or snapshots. */
  readonly seq: number;
  readonly threadId?: string;
  /** Parent of the actor. */
  readonly parent?: string;
  /** Error code. */
  readonly failure?: string;
  readonly wakeAt?: number;
}

/** Journal entry without secrets, cut to a maximum size. */
export type FeedEntry = Omit<JournalEntry, 'events'>;

/** State of another app's actor after an event. */
export interface FeedSnapshot {
  readonly seq: number;
  readonly at: number;
  readonly event: Json;
  /** Paths of the active states, as in `GraphState.path`, including parents. */
  readonly active: readonly string[];
  readonly status: string;
  /** Edges taken to this state, eventless ones included. */
  readonly edges: readonly TakenEdge[];
  readonly context?: Json;
  readonly output?: Json;
  readonly error?: Json;
}

/** Message of the feed. A connection starts with `hello`, followed by all current data. */
export type FeedMessage =
  | { readonly name: 'hello'; readonly data: { readonly format: 1; readonly database: string | null } }
  | { readonly name: 'runs'; readonly data: { readonly runs: readonly FeedRun[] } }
  | { readonly name: 'run'; readonly data: { readonly run: FeedRun } }
  | { readonly name: 'graph'; readonly data: { readonly run: string; readonly graph: MachineGraph | null; readonly source: string } }
  | { readonly name: 'events'; readonly data: { readonly run: string; readonly events: readonly RunEvent[] } }
  | { readonly name: 'entries'; readonly data: { readonly run: string; readonly entries: readonly FeedEntry[] } }
  | { readonly name: 'snapshots'; readonly data: { readonly run: string; readonly snapshots: readonly FeedSnapshot[] } }
  /** Error that prevents reading; an empty code clears it. */
  | { readonly name: 'trouble'; readonly data: { readonly code: string; readonly message: string } };

/** All data of one run. */
export interface FeedRunContents {
  readonly run: FeedRun;
  readonly graph: MachineGraph | null;
  /** TypeScript source of the machine; empty if it is unknown. */
  readonly source: string;
  readonly events: readonly RunEvent[];
  readonly entries: readonly FeedEntry[];
  readonly snapshots: readonly FeedSnapshot[];
}
