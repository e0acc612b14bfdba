import type { AnyWorkflow, ChatModel, Retriever, Tool } from 'agent-machines';
import type { ContractDocument } from 'agent-machines/contracts';
import type { DescribeNode } from 'agent-machines/inspect';
import type { LongTermMemory } from 'agent-machines/memory';
import type { OfflineAdvice } from 'agent-machines/models';
import type { DocumentPassage } from 'agent-machines/search';
import type { Invariant } from 'agent-machines/testing';

/** Metadata of a shipped workflow, available before it is loaded. */
export interface WorkflowEntry {
  /** Name on the command line, and of the folder. The factory has the same name in camel case. */
  readonly name: string;
  readonly description: string;
  /** Example questions, including some that need no model and no network. */
  readonly examples: readonly string[];
  /** Nodes that use a model, for `--model NODE=NAME` in a config file. */
  readonly modelNodes: readonly string[];
  /** Names the setting that a run lacks. Absent: no setting is required. */
  missing?(settings: WorkflowSettings): string | undefined;
  /** True when it accepts `--file` and `--instructions`. */
  readonly talks?: boolean;
  /** Sentence about the flag for files, for a workflow without `--file`. @default 'Use --docs DIR for documents.' */
  readonly filesHint?: string;
  /** True when a waiting run is answered at the terminal. */
  readonly asksReview?: boolean;
  /** True when it can use tools of MCP servers. */
  readonly takesTools?: boolean;
  /** True when its input names a user: `--user`. */
  readonly knowsUsers?: boolean;
  /** JSON fields of a human's event, for the command that sends it. */
  exampleOf?(event: string): string | undefined;
  /** Loads the rest on demand, because machines are the largest part. */
  load(): Promise<LoadedEntry>;
}

/** Parts of a shipped workflow that need its machine. */
export interface LoadedEntry {
  create(kit: WorkflowKit): Promise<AnyWorkflow>;
  /** Creates the workflow without settings, for drawings and lists. */
  draft(): AnyWorkflow;
  /** Creates the workflow with low limits, which keep a mutation score small. @default draft */
  small?(): AnyWorkflow;
  /** Tools for the settings, including unavailable ones with their reasons. Absent: none. */
  tools?(kit: WorkflowKit): Promise<readonly Tool[]>;
  /** Code of `draft`, for a test. */
  readonly source: EntrySource;
  /** Describes the work of a node. */
  readonly describe: DescribeNode;
  /** Promises of the machine, and the options of `exploreMachine` for checking them. */
  promises?(): Promise<EntryPromises>;
}

export interface EntrySource {
  /** Import lines that `expression` needs. */
  readonly imports: readonly string[];
  /** Expression that creates the workflow: `planExecute()`. */
  readonly expression: string;
}

export interface EntryPromises {
  readonly invariants: readonly Invariant[];
  readonly exploreOptions: object;
}

/** Settings that an entry may read. */
export interface WorkflowSettings {
  /** Paths of the contracts that questions are about, or of their folders. */
  readonly contract?: string | readonly string[];
  /** IANA name. Absent: the workflow's default. */
  readonly timeZone?: string;
  readonly instructions?: string;
  readonly allowEgress?: boolean;
}

/** Options of every workflow. */
export interface CommonOptions {
  readonly model?: ChatModel;
  readonly models?: Readonly<Record<string, ChatModel>>;
  readonly contextTokens?: number;
  readonly timeZone?: string;
  readonly maxRepairs?: number;
  readonly advice: OfflineAdvice;
}

/**
 * Group of ready tools. `local`: calculator, time and files. `documents`: search in a folder. `web`: weather, Wikipedia and web search.
 * `google`: Google search. `python`: a sandbox.
 */
export type ToolGroup = 'local' | 'documents' | 'web' | 'google' | 'python';

/** Everything that a workflow is made of beside its own folder. The program that creates the workflow provides it. */
export interface WorkflowKit {
  readonly settings: WorkflowSettings;
  options(): Promise<CommonOptions>;
  /** Tools of groups, in the order of the groups, including unavailable ones with their reasons. */
  tools(...groups: readonly ToolGroup[]): Promise<readonly Tool[]>;
  /** Tools of MCP servers. */
  remoteTools(): Promise<readonly Tool[]>;
  /** Documents to search. Absent: no folder is set. */
  documents(): Promise<Retriever | undefined>;
  /** The contracts with their names. Empty: no file is set. */
  contracts(): Promise<readonly { readonly id: string; readonly contract: ContractDocument }[]>;
  /** The standard contract for comparisons. Absent: no file is set. */
  standard(): Promise<ContractDocument | undefined>;
  /** Memories about users. Absent: no file is set. */
  memory(): Promise<LongTermMemory | undefined>;
  /** Paths of the files in the documents folder, sorted. Absent: no folder is set. */
  files(): readonly string[] | undefined;
  /** Opens an index of passages on a server. `name` tells the indexes of workflows apart. Absent: no server is set. */
  readonly index?: (name: string, passages: readonly DocumentPassage[]) => Promise<Retriever>;
}
