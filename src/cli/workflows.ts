import type { Invariant } from 'agent-machines/testing';
import { WorkflowError } from '../errors.ts';
import type { AnyWorkflow, JsonObject, Tool } from '../index.ts';
import type { DescribeNode, NodeDescription } from '../inspect/index.ts';
import type { WorkflowSource } from '../server/served-workflow.ts';
import { itemAmong } from '../util/id-among.ts';
import { createOpened, type Opened } from './opened.ts';
import type { Settings } from './settings.ts';
import { terminalFormat } from './terminal-format.ts';
import { UsageError } from './usage-error.ts';

/** A workflow as the command line knows it before anything of it is loaded. */
export interface CliWorkflow {
  /** What the user types. */
  readonly name: string;
  readonly description: string;
  /** Questions to try: without a model and without the network, too. */
  readonly examples: readonly string[];
  /** The nodes that ask a model: for `--model NODE=NAME` in a config file. */
  readonly modelNodes: readonly string[];
  /** What is missing in the settings for a run; absent: nothing can be. */
  missing?(settings: Settings): string | undefined;
  /** It takes `--file` and `--instructions`. */
  readonly talks?: boolean;
  /** At a terminal, a waiting run is answered there. */
  readonly asksReview?: boolean;
  /** It can use tools of MCP servers. */
  readonly takesTools?: boolean;
  /** Its input names a user: `--user`. */
  readonly knowsUsers?: boolean;
  /** Fields of a human's event, as JSON, for the command that sends it. */
  exampleOf?(event: string): string | undefined;
  /** Loads the rest: machines bring most of what there is to load. */
  load(): Promise<LoadedWorkflow>;
}

/** What a workflow of the command line runs with. */
export interface LoadedWorkflow {
  /** @param opened what has to be closed when the workflow is no longer needed. */
  create(settings: Settings, opened: Opened): Promise<AnyWorkflow>;
  /** The workflow without what it knows, to be drawn or listed. Absent: making it whole takes no time. */
  draft?(): AnyWorkflow;
  /** The tools that the settings decide on, those that cannot be used included: they say why. Absent: none. */
  tools?(settings: Settings): readonly Tool[];
  /** How a test makes it that knows nothing of settings. */
  readonly source: WorkflowSource;
  /** What a node has done. */
  readonly describe: DescribeNode;
  /** What its machine promises, and with which options of `exploreMachine` that is looked into. */
  promises?(): Promise<{ readonly invariants: readonly Invariant[]; readonly exploreOptions: object }>;
}

export const workflows: readonly CliWorkflow[] = [
  {
    name: 'tool-agent',
    description: 'answers with tools: a model asks for calls until it has its answer',
    examples: ['17% of 2,450,000 plus 1200?', '지금 몇 시야? 그리고 12*34는?', 'What time is it?'],
    takesTools: true,
    modelNodes: ['agent'],
    talks: true,
    load: async () => (await import('./workflows/tool-agent.ts')).toolAgentWorkflow,
  },
  {
    name: 'plan-execute',
    description: 'plans once, executes without a model, replans what fails, answers',
    examples: [
      '123 * 456을 계산해줘',
      'docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘',
      'What is (17 + 25) * 3, and what day is it today?',
    ],
    takesTools: true,
    modelNodes: ['intent_classifier', 'planner', 'replanner', 'final_answer'],
    load: async () => (await import('./workflows/plan-execute.ts')).planExecuteWorkflow,
  },
  {
    name: 'contract-agent',
    description: 'answers questions about a contract (--contract FILE) from its articles',
    examples: ['지체상금률은?', '돈은 언제 줘야 돼?', '중간에 그만두면 어떻게 돼?'],
    modelNodes: ['scope_validator', 'check_previous_context', 'plan_next_action', 'evaluate_sufficiency', 'generate_response'],
    missing: ({ contract }) =>
      contract === undefined
        ? 'contract-agent needs a contract: --contract FILE (.txt, .md, .docx, .pdf, .hwpx, .odt, .rtf, .html or .json).'
        : undefined,
    load: async () => (await import('./workflows/contract-agent.ts')).contractAgentWorkflow,
  },
  {
    name: 'chat-agent',
    description: 'talks, looks documents up (--docs DIR), uses tools, and remembers the conversation',
    examples: ['안녕, 나는 민지야', 'What can you do?', '128 * 46은 얼마야?'],
    takesTools: true,
    modelNodes: ['router', 'memory', 'agent'],
    talks: true,
    load: async () => (await import('./workflows/chat-agent.ts')).chatAgentWorkflow,
  },
  {
    name: 'guide-agent',
    description: 'plans a piece of work, waits for your approval, finds a service for each part of it, and writes a guide',
    examples: [
      '영상 편집에 쓸 AI 도구를 추천해줘',
      '회의록 정리를 자동화하는 방법을 알려줘',
      'Make a guide for writing weekly reports with AI',
    ],
    modelNodes: ['llm_router', 'planning_node', 'recommend_tool_node', 'guide_generation_node', 'reflection_node'],
    asksReview: true,
    knowsUsers: true,
    exampleOf: (event) => ({ REVISE: '{"feedback":"…"}', EDIT: '{"sub_tasks":["…","…"]}' })[event],
    load: async () => (await import('./workflows/guide-agent.ts')).guideAgentWorkflow,
  },
];

const withId = (id: string): CliWorkflow | undefined => itemAmong(id, workflows, ({ name }) => name);

/**
 * Finds a workflow by its name, in either spelling: `plan-execute`, `plan_execute`.
 * @throws {UsageError} for a name that no workflow has.
 */
export function workflowNamed(name: string): CliWorkflow {
  const found = withId(name);
  if (found) return found;
  throw new UsageError(`There is no workflow "${name}". There is: ${workflows.map((workflow) => workflow.name).join(', ')}.`);
}

/** @throws {UsageError} for files and instructions that a workflow would leave out without a word. */
export function checkTaken(
  { name, talks = false }: CliWorkflow,
  flags: { readonly file?: unknown; readonly instructions?: unknown },
): void {
  const others = workflows.filter((one) => one.talks).map((one) => one.name);
  for (const flag of talks ? [] : (['file', 'instructions'] as const)) {
    if (flags[flag] === undefined) continue;
    const instead =
      flag === 'instructions' ? '' : name === 'contract-agent' ? ' Its contract is --contract FILE.' : ' Documents are --docs DIR.';
    throw new UsageError(`${name} takes no --${flag}; ${others.join(' and ')} do.${instead}`);
  }
}

/** What a run is shown by. */
export interface RunView extends Pick<CliWorkflow, 'name' | 'exampleOf'> {
  /** This program does not have its workflow. */
  readonly foreign?: boolean;
  /** What a node has done, from the change that it made: a few words for its line, and lines below it. */
  describeNode(node: string, patch: JsonObject): NodeDescription;
}

/** How a run of a workflow is shown. */
export async function viewOf(workflow: CliWorkflow): Promise<RunView> {
  const { describe } = await workflow.load();
  return { ...workflow, describeNode: (node, patch) => describe(node, patch, terminalFormat) };
}

/** How a stored run is shown. Of a workflow that this program does not have, what the journal says. */
export async function viewOfRun(id: string): Promise<RunView> {
  const found = withId(id);
  if (found) return viewOf(found);
  return {
    name: id,
    foreign: true,
    describeNode: (_node, patch) => ({ summary: Object.keys(patch).join(', ') }),
  };
}

/** The workflow of a stored run, to go on with it. */
export function workflowOfRun(id: string): CliWorkflow {
  const found = withId(id);
  if (found) return found;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run belongs to the workflow "${id}", which this program does not have.`,
    hint: 'Use the program that it was started with.',
  });
}

/** A workflow to be drawn or listed; not to run it. */
export async function draftOf(workflow: CliWorkflow): Promise<AnyWorkflow> {
  const { draft, create } = await workflow.load();
  if (draft) return draft();
  const opened = createOpened();
  try {
    return await create({}, opened);
  } finally {
    await opened.close();
  }
}

/** This program has the workflow of a stored run. */
export const isOurs = (id: string): boolean => withId(id) !== undefined;

/** The workflows of stored runs, as far as this program has them, to be listed. */
export const draftsOfRuns = (ids: readonly string[]): Promise<readonly AnyWorkflow[]> =>
  Promise.all(workflows.filter((one) => ids.some((id) => withId(id) === one)).map(draftOf));

/** Every tool of every workflow once. */
export async function allTools(settings: Settings): Promise<readonly Tool[]> {
  const loaded = await Promise.all(workflows.map(({ load }) => load()));
  return [...new Map(loaded.flatMap(({ tools }) => tools?.(settings) ?? []).map((tool) => [tool.name, tool])).values()];
}
