import type { ErrorInfo } from '../../ports/error-info.ts';
import type { Json } from '../../ports/json.ts';
import type { CallInDoubt, Interrupt } from '../../ports/run-event.ts';
import type { JournalEntry, RunStatus } from '../../ports/run-store.ts';
import type { MachineGraph } from '../../workflow/graph.ts';

/** A workflow of the server. */
export interface WorkflowInfo {
  readonly id: string;
  readonly version?: string;
  readonly title?: string;
  readonly description?: string;
  readonly examples: readonly string[];
  readonly model?: string;
}

export interface WorkflowDetails extends WorkflowInfo {
  readonly graph: MachineGraph;
  /** Their names. */
  readonly invariants: readonly string[];
}

/** A conversation in the list. */
export interface ThreadItem {
  readonly id: string;
  readonly workflow: string;
  readonly title: string;
  readonly updatedAt: number;
  readonly status?: RunStatus;
  readonly waiting: boolean;
}

/** What the server says of a run. */
export interface RunItem {
  readonly id: string;
  readonly workflow: string;
  readonly version?: string;
  readonly status: RunStatus;
  readonly threadId?: string;
  readonly seq: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly input?: Json;
  readonly output?: Json;
  /** Of a run that ended in a state tagged failure, or that failed. */
  readonly failure?: ErrorInfo;
  readonly interrupts: readonly Interrupt[];
  readonly inDoubt: readonly CallInDoubt[];
}

/** Something that waits for a human. */
export interface WaitingItem {
  readonly runId: string;
  readonly workflow: string;
  readonly threadId?: string;
  readonly since: number;
  readonly interrupts: readonly Interrupt[];
  readonly inDoubt: readonly CallInDoubt[];
}

export interface ThreadDetails {
  readonly id: string;
  readonly workflow: string;
  readonly title?: string;
  /** Oldest first. */
  readonly runs: readonly RunItem[];
}

export type Entry = Omit<JournalEntry, 'events'> & { readonly events?: JournalEntry['events'] };

export interface ModelInfo {
  readonly name: string;
  readonly address?: string;
  readonly offline: boolean;
}

/** A document that was uploaded. */
export interface DocumentItem {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly pages?: number;
  readonly addedAt: number;
  /** Empty in a list. */
  readonly outline: readonly OutlinePart[];
  readonly facts?: Json;
  readonly notices: readonly string[];
}

export interface ArticleName {
  readonly id: string;
  readonly label: string;
  readonly title: string;
}

/** What differs between a document and another one. */
export interface Comparison {
  readonly pairs: readonly ArticlePair[];
  /** Only the other one has them. */
  readonly missing: readonly ArticleName[];
  readonly added: readonly ArticleName[];
}

export interface ArticlePair {
  /** Of the document's article. */
  readonly id: string;
  readonly isChanged: boolean;
  readonly redline: readonly { readonly kind: 'same' | 'deleted' | 'inserted'; readonly text: string }[];
}

export interface OutlinePart {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly chapter: string;
  readonly deleted: boolean;
  readonly text?: string;
}
