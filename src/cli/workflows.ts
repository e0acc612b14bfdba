import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { parseContract } from '../contracts/index.ts';
import { loadContract } from '../contracts/node/load-contract.ts';
import { type AnyWorkflow, type Json, type JsonObject, WorkflowError } from '../index.ts';
import { describeChatAgent } from './describe-chat-agent.ts';
import { describeContractAgent } from './describe-contract-agent.ts';
import { describeGuideAgent } from './describe-guide-agent.ts';
import { describePlanExecute } from './describe-plan-execute.ts';
import { documentStore } from './document-store.ts';
import { loadKnowledge } from './guide-knowledge.ts';
import { openMemory } from './long-term-memory.ts';
import type { NodeDescription } from './node-description.ts';
import { createOpened, type Opened } from './opened.ts';
import { chatToolsOf, guideToolsOf, modelOf, type Settings, toolsOf } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** A workflow as the command line knows it. */
export interface CliWorkflow {
  /** What the user types. */
  readonly name: string;
  readonly description: string;
  /** What is missing in the settings for a run; absent: nothing can be. */
  missing?(settings: Settings): string | undefined;
  /** @param opened what has to be closed when the workflow is no longer needed. */
  create(settings: Settings, opened: Opened): Promise<AnyWorkflow>;
  /** The workflow without what it knows, to be drawn or listed. Absent: making it whole takes no time. */
  draft?(): AnyWorkflow;
  /** The workflow's input for a question. */
  toInput(text: string, settings: Settings): never;
  /** At a terminal, a waiting run is answered there. */
  readonly asksReview?: boolean;
  /** Fields of a human's event, as JSON, for the command that sends it. */
  exampleOf?(event: string): string | undefined;
  /** The text of the answer in the workflow's output. */
  answerOf(output: Json): string;
  /** What a node has done, from the change that it made: a few words for its line, and lines below it. */
  describeNode(node: string, patch: JsonObject): NodeDescription;
}

export const workflows: readonly CliWorkflow[] = [
  {
    name: 'plan-execute',
    description: 'plans once, executes without a model, replans what fails, answers',
    async create(settings) {
      const model = await modelOf(settings);
      return planExecute({ tools: toolsOf(settings), allowEgress: settings.allowEgress ?? false, ...(model ? { model } : {}) });
    },
    toInput: (input) => ({ input }) as never,
    answerOf: (output) => String((output as { readonly result?: Json }).result ?? ''),
    describeNode: describePlanExecute,
  },
  {
    name: 'contract-agent',
    description: 'answers questions about a contract (--contract FILE) from its articles',
    missing: ({ contract }) =>
      contract === undefined ? 'contract-agent needs a contract: --contract FILE (.txt, .md, .docx, .pdf or .json).' : undefined,
    async create(settings) {
      const { contract, standard } = settings;
      const model = await modelOf(settings);
      return contractAgent({
        contracts: [
          {
            contract: contract === undefined ? parseContract({ name: 'none', text: '' }) : await loadContract(contract), // to be drawn, it needs none
            ...(standard === undefined ? {} : { standard: await loadContract(standard) }),
          },
        ],
        ...(model ? { model } : {}),
      });
    },
    toInput: (userMessage) => ({ userMessage }) as never,
    answerOf: (output) => String((output as { readonly finalResponse?: Json }).finalResponse ?? ''),
    describeNode: describeContractAgent,
  },
  {
    name: 'chat-agent',
    description: 'talks, looks documents up (--docs DIR), uses tools, and remembers the conversation',
    async create(settings, opened) {
      const model = await modelOf(settings);
      const retriever = documentStore(settings, opened);
      return chatAgent({
        tools: chatToolsOf(settings),
        allowEgress: settings.allowEgress ?? false,
        ...(retriever ? { retriever } : {}),
        ...(model ? { model } : {}),
      });
    },
    toInput: (input) => ({ input }) as never,
    answerOf: (output) => String((output as { readonly answer?: Json }).answer ?? ''),
    describeNode: describeChatAgent,
  },
  {
    name: 'guide-agent',
    description: 'plans a piece of work, waits for your approval, finds a service for each part of it, and writes a guide',
    async create(settings, opened) {
      const { docs, memory } = settings;
      const model = await modelOf(settings);
      return guideAgent({
        knowledge: await loadKnowledge(docs),
        tools: guideToolsOf(settings),
        allowEgress: settings.allowEgress ?? false,
        ...(memory === undefined ? {} : { memory: await openMemory(memory, opened) }),
        ...(model ? { model } : {}),
      });
    },
    draft: () => guideAgent({ knowledge: createKnowledgeBase([], []) }), // its samples are PDFs
    toInput: (input, { user }) => ({ input, ...(user === undefined ? {} : { userId: user }) }) as never,
    asksReview: true,
    exampleOf: (event) => ({ REVISE: '{"feedback":"…"}', EDIT: '{"sub_tasks":["…","…"]}' })[event],
    answerOf: (output) => String((output as { readonly finalGuide?: Json }).finalGuide ?? ''),
    describeNode: describeGuideAgent,
  },
];

/** @throws {UsageError} for a name that no workflow has. */
export function workflowNamed(name: string): CliWorkflow {
  const found = workflows.find((workflow) => workflow.name === name);
  if (found) return found;
  throw new UsageError(`There is no workflow "${name}". There is: ${workflows.map((workflow) => workflow.name).join(', ')}.`);
}

/** What a run of a workflow is shown by. */
export type RunView = Pick<CliWorkflow, 'name' | 'answerOf' | 'describeNode' | 'exampleOf'> & { readonly foreign?: boolean };

const storedAs = (id: string): CliWorkflow | undefined => workflows.find(({ name }) => name.replaceAll('-', '_') === id);

/** How a stored run is shown. Of a workflow that this program does not have, what the journal says. */
export const viewOfRun = (id: string): RunView =>
  storedAs(id) ?? {
    name: id,
    foreign: true,
    answerOf: (output) => (typeof output === 'string' ? output : JSON.stringify(output, null, 2)),
    describeNode: (_node, patch) => ({ summary: Object.keys(patch).join(', ') }),
  };

/** The workflow of a stored run, to go on with it. */
export function workflowOfRun(id: string): CliWorkflow {
  const found = storedAs(id);
  if (found) return found;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run belongs to the workflow "${id}", which this program does not have.`,
    hint: 'Use the program that it was started with.',
  });
}

/** A workflow to be drawn or listed; not to run it. */
export async function draftOf({ draft, create }: CliWorkflow): Promise<AnyWorkflow> {
  if (draft) return draft();
  const opened = createOpened();
  try {
    return await create({}, opened);
  } finally {
    await opened.close();
  }
}

/** Every workflow, for a look at which runs this program can go on with. */
export const workflowsToList = (): Promise<readonly AnyWorkflow[]> => Promise.all(workflows.map(draftOf));
