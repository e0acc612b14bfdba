import type { Invariant } from 'agent-machines/testing';
import { WorkflowError } from '../core/errors/errors.ts';
import { itemAmong } from '../core/util/id-among.ts';
import type { AnyWorkflow, JsonObject, Tool } from '../index.ts';
import type { DescribeNode, NodeDescription } from '../inspect/index.ts';
import type { WorkflowSource } from '../server/http/served-workflow.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { terminalFormat } from './terminal-format.ts';
import { UsageError } from './usage-error.ts';

/** Metadata of a workflow, available before it is loaded. */
export interface CliWorkflow {
  /** Name on the command line. */
  readonly name: string;
  readonly description: string;
  /** Example questions, including some that need no model and no network. */
  readonly examples: readonly string[];
  /** Nodes that use a model, for `--model NODE=NAME` in a config file. */
  readonly modelNodes: readonly string[];
  /** Names the setting that a run lacks. Absent: no setting is required. */
  missing?(settings: Settings): string | undefined;
  /** True when it accepts `--file` and `--instructions`. */
  readonly talks?: boolean;
  /** True when a waiting run is answered at the terminal. */
  readonly asksReview?: boolean;
  /** True when it can use tools of MCP servers. */
  readonly takesTools?: boolean;
  /** True when its input names a user: `--user`. */
  readonly knowsUsers?: boolean;
  /** JSON fields of a human's event, for the command that sends it. */
  exampleOf?(event: string): string | undefined;
  /** Loads the rest on demand, because machines are the largest part. */
  load(): Promise<LoadedWorkflow>;
}

/** Parts that a workflow needs to run. */
export interface LoadedWorkflow {
  /** @param opened Resources to close when the workflow is no longer needed. */
  create(settings: Settings, opened: OpenResources): Promise<AnyWorkflow>;
  /** Creates the workflow without its knowledge, for drawings and lists. Absent: `create` is fast enough. */
  draft?(): AnyWorkflow;
  /** Tools for these settings, including unavailable ones with their reasons. Absent: none. */
  tools?(settings: Settings): readonly Tool[];
  /** Code that creates the workflow in a test, without settings. */
  readonly source: WorkflowSource;
  /** Describes the work of a node. */
  readonly describe: DescribeNode;
  /** Promises of its machine, and the options of `exploreMachine` for checking them. */
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
 * @throws {UsageError} for an unknown name.
 */
export function workflowNamed(name: string): CliWorkflow {
  const found = withId(name);
  if (found) return found;
  throw new UsageError(`There is no workflow "${name}". There is: ${workflows.map((workflow) => workflow.name).join(', ')}.`);
}

/** @throws {UsageError} for files and instructions that a workflow would silently ignore. */
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

/** Data for displaying a run. */
export interface RunView extends Pick<CliWorkflow, 'name' | 'exampleOf'> {
  /** True when this program does not have its workflow. */
  readonly foreign?: boolean;
  /** Describes the work of a node from its patch: a few words for its line, and lines below it. */
  describeNode(node: string, patch: JsonObject): NodeDescription;
}

/** View of a workflow's run. */
export async function viewOf(workflow: CliWorkflow): Promise<RunView> {
  const { describe } = await workflow.load();
  return { ...workflow, describeNode: (node, patch) => describe(node, patch, terminalFormat) };
}

/** View of a stored run. For a workflow that this program does not have, it uses only the journal. */
export async function viewOfRun(id: string): Promise<RunView> {
  const found = withId(id);
  if (found) return viewOf(found);
  return {
    name: id,
    foreign: true,
    describeNode: (_node, patch) => ({ summary: Object.keys(patch).join(', ') }),
  };
}

/** Workflow of a stored run, for resuming it. */
export function workflowOfRun(id: string): CliWorkflow {
  const found = withId(id);
  if (found) return found;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run belongs to the workflow "${id}", which this program does not have.`,
    hint: 'Use the program that it was started with.',
  });
}

/** Creates a workflow for drawings and lists, not for running. */
export async function draftOf(workflow: CliWorkflow): Promise<AnyWorkflow> {
  const { draft, create } = await workflow.load();
  if (draft) return draft();
  const opened = createOpenResources();
  try {
    return await create({}, opened);
  } finally {
    await opened.close();
  }
}

/** True when this program has the workflow of a stored run. */
export const isOurs = (id: string): boolean => withId(id) !== undefined;

/** Available workflows of stored runs, for lists. */
export const draftsOfRuns = (ids: readonly string[]): Promise<readonly AnyWorkflow[]> =>
  Promise.all(workflows.filter((one) => ids.some((id) => withId(id) === one)).map(draftOf));

/** All tools of all workflows, without duplicates. */
export async function allTools(settings: Settings): Promise<readonly Tool[]> {
  const loaded = await Promise.all(workflows.map(({ load }) => load()));
  return [...new Map(loaded.flatMap(({ tools }) => tools?.(settings) ?? []).map((tool) => [tool.name, tool])).values()];
}
