import { entries, type WorkflowEntry } from '../../machines/index.ts';
import { WorkflowError } from '../core/errors/errors.ts';
import { itemAmong } from '../core/util/id-among.ts';
import type { AnyWorkflow, JsonObject, Tool } from '../index.ts';
import type { DescriptionFormat, NodeDescription } from '../inspect/index.ts';
import { hintOf } from './error-hints.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { milliseconds, oneLine, pad } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const withId = (id: string): WorkflowEntry | undefined => itemAmong(id, entries, ({ name }) => name);

/**
 * Finds a workflow by its name, in either spelling: `plan-execute`, `plan_execute`.
 * @throws {UsageError} for an unknown name.
 */
export function workflowNamed(name: string): WorkflowEntry {
  const found = withId(name);
  if (found) return found;
  throw new UsageError(`There is no workflow "${name}". Available: ${entries.map((entry) => entry.name).join(', ')}.`);
}

/** @throws {UsageError} for files and instructions that a workflow would silently ignore. */
export function checkInputFlags(
  { name, talks = false, filesHint = 'Use --docs DIR for documents.' }: WorkflowEntry,
  flags: { readonly file?: unknown; readonly instructions?: unknown },
): void {
  const others = entries.filter((one) => one.talks).map((one) => one.name);
  for (const flag of talks ? [] : (['file', 'instructions'] as const)) {
    if (flags[flag] === undefined) continue;
    const instead = flag === 'instructions' ? '' : ` ${filesHint}`;
    throw new UsageError(`${name} does not accept --${flag}. Only ${others.join(' and ')} do.${instead}`);
  }
}

/** Data for displaying a run. */
export interface RunView extends Pick<WorkflowEntry, 'name' | 'exampleOf'> {
  /** True when this program does not have its workflow. */
  readonly foreign?: boolean;
  /** Describes the work of a node from its patch: a few words for its line, and lines below it. */
  describeNode(node: string, patch: JsonObject): NodeDescription;
}

export async function viewOf(workflow: WorkflowEntry): Promise<RunView> {
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
export function workflowOfRun(id: string): WorkflowEntry {
  const found = withId(id);
  if (found) return found;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run belongs to the workflow "${id}", which this program does not have.`,
    hint: 'Use the program that started it.',
  });
}

/**
 * Creates a workflow with settings.
 * @param opened Resources to close when the workflow is no longer needed.
 */
export async function createWorkflow(entry: WorkflowEntry, settings: Settings, opened: OpenResources): Promise<AnyWorkflow> {
  const [{ create }, { createWorkflowKit }] = await Promise.all([entry.load(), import('./workflow-kit.ts')]);
  return create(createWorkflowKit(settings, opened));
}

/** Creates a workflow for drawings and lists, not for running. */
export const draftOf = async (entry: WorkflowEntry): Promise<AnyWorkflow> => (await entry.load()).draft();

/** True when this program has the workflow of a stored run. */
export const isOurs = (id: string): boolean => withId(id) !== undefined;

/** Available workflows of stored runs, for lists. */
export const draftsOfRuns = (ids: readonly string[]): Promise<readonly AnyWorkflow[]> =>
  Promise.all(entries.filter((one) => ids.some((id) => withId(id) === one)).map(draftOf));

/** All tools of all workflows, without duplicates. */
export async function allTools(settings: Settings): Promise<readonly Tool[]> {
  const { createWorkflowKit } = await import('./workflow-kit.ts');
  const kit = createWorkflowKit(settings, createOpenResources()); // tools open nothing
  const lists = await Promise.all(entries.map(async ({ load }) => (await load()).tools?.(kit) ?? []));
  return [...new Map(lists.flat().map((tool) => [tool.name, tool])).values()];
}

const terminalFormat: DescriptionFormat = {
  oneLine,
  pad,
  milliseconds,
  hintOf: (error) => hintOf(error),
  waitsFor: (held) => `${held.map(({ tool }) => oneLine(tool)).join(', ')} ⏸ needs approval`,
};
