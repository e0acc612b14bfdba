import { createRuntime, type RunStore, type Runtime, type Workflow, WorkflowError } from 'agent-machines';
import type { ConversationMessage } from 'agent-machines/memory';
import type { PostgresStoreOptions } from 'agent-machines/stores/postgres';
import { type ContractAgentInput, type ContractAgentOptions, contractAgent } from './contract-agent.ts';
import type { ContractAgentOutput, ContractAgentState } from './state.ts';
import { type ContractStreamEvent, streamOf } from './stream-of.ts';

export interface ContractAgentSettings extends ContractAgentOptions {
  /** Storage of runs and conversations. @default 'memory' */
  readonly persistenceMode?: 'memory' | 'sqlite' | 'postgres';
  /** Path of the SQLite database, for `sqlite`. @default './contract-agent.db' */
  readonly checkpointDbPath?: string;
  /** Options of `postgresStore`, for `postgres`, such as `{ connectionString }`. */
  readonly postgres?: PostgresStoreOptions;
}

export interface RunStreamRequest {
  /** Id of the contract that the question is about. Default: the contracts that the question names, otherwise all. */
  readonly contractId?: string;
  /** The user's question. */
  readonly input: string;
  /** Id of the conversation that the question continues. Default: a new one. */
  readonly sessionId?: string;
  /** The last question and its answer, if they are not in the session. */
  readonly previousTurn?: readonly ConversationMessage[];
}

/** The workflow with its own runtime. */
export interface ContractAgent {
  readonly workflow: Workflow<ContractAgentInput, ContractAgentState, ContractAgentOutput>;
  /** Runtime for everything except questions: runs, threads, resuming. */
  readonly runtime: Runtime;
  /** Answers a question as a stream of events. */
  runStream(request: RunStreamRequest): AsyncGenerator<ContractStreamEvent, void, void>;
  close(): Promise<void>;
}

/**
 * Creates the contract agent with its own runtime and store. To embed it in an existing runtime, use `contractAgent`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for an unknown `persistenceMode`, and for `postgres` without a place; `STORE_UNAVAILABLE`.
 * @example
 * const agent = await createContractAgent({ contracts: [{ contract }], persistenceMode: 'sqlite' });
 * for await (const event of agent.runStream({ input: '제5조 내용이 뭐야?', sessionId: 's1' })) show(event);
 */
export async function createContractAgent(settings: ContractAgentSettings): Promise<ContractAgent> {
  const { persistenceMode = 'memory', checkpointDbPath = './contract-agent.db', postgres = {}, ...options } = settings;
  const workflow = contractAgent(options);
  const store = await openStore(persistenceMode, { path: checkpointDbPath, postgres });
  const runtime = createRuntime({ ...(store ? { store } : {}), workflows: [workflow] });
  return {
    workflow,
    runtime,
    runStream({ sessionId, ...request }) {
      return streamOf(runtime.start(workflow, request, sessionId === undefined ? {} : { threadId: sessionId }));
    },
    async close() {
      await runtime.close();
      await store?.close();
    },
  };
}

interface Places {
  readonly path: string;
  readonly postgres: PostgresStoreOptions;
}

/** Loads the database packages on demand. */
async function openStore(mode: string, { path, postgres }: Places): Promise<RunStore | undefined> {
  if (mode === 'memory') return undefined;
  if (mode === 'sqlite') {
    const { sqliteStore } = await import('agent-machines/stores/sqlite');
    return sqliteStore({ path });
  }
  if (mode === 'postgres') {
    const { postgresStore } = await import('agent-machines/stores/postgres');
    return postgresStore(postgres);
  }
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The persistence mode ${JSON.stringify(mode)} is unknown.`,
    hint: "Use 'postgres' or 'sqlite' to store conversations, or 'memory'.",
  });
}
