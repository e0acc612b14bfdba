import { createRuntime, type RunStore, type Runtime, type Workflow, WorkflowError } from 'agent-machines';
import type { ConversationMessage } from 'agent-machines/memory';
import type { PostgresStoreOptions } from 'agent-machines/stores/postgres';
import { type ContractAgentInput, type ContractAgentOptions, contractAgent } from './contract-agent.ts';
import type { ContractAgentOutput, ContractAgentState } from './state.ts';
import { type ContractStreamEvent, streamOf } from './stream-of.ts';

export interface ContractAgentSettings extends ContractAgentOptions {
  /** Where runs and conversations are kept. @default 'memory' */
  readonly persistenceMode?: 'memory' | 'sqlite' | 'postgres';
  /** File of the database, for `sqlite`. @default './contract-agent.db' */
  readonly checkpointDbPath?: string;
  /** Options of `postgresStore`, for `postgres`: `{ connectionString }` for example. */
  readonly postgres?: PostgresStoreOptions;
}

export interface RunStreamRequest {
  /** Default: the only contract. */
  readonly contractId?: string;
  /** The user's question. */
  readonly input: string;
  /** The conversation that it goes on with. Default: a new one. */
  readonly sessionId?: string;
  /** The last question and its answer, when they are not in the session. */
  readonly previousTurn?: readonly ConversationMessage[];
}

/** The workflow with a runtime of its own. */
export interface ContractAgent {
  readonly workflow: Workflow<ContractAgentInput, ContractAgentState, ContractAgentOutput>;
  /** For everything other than asking: runs, threads, resuming. */
  readonly runtime: Runtime;
  /** Answers a question, piece by piece. */
  runStream(request: RunStreamRequest): AsyncGenerator<ContractStreamEvent, void, void>;
  close(): Promise<void>;
}

/**
 * The contract agent with everything that it needs to run. Embed `contractAgent` in a runtime of your own instead when you have one.
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

/** Where each mode keeps runs. */
interface Places {
  readonly path: string;
  readonly postgres: PostgresStoreOptions;
}

/** The packages of databases are loaded when they are needed. */
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
    hint: "Use 'postgres' or 'sqlite' to keep conversations, or 'memory'.",
  });
}
