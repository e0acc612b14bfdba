import { planExecute } from 'agent-machines/machines/plan-execute';
import { type AnyWorkflow, type Json, type JsonObject, WorkflowError } from '../index.ts';
import { describePlanExecute } from './describe-plan-execute.ts';
import type { NodeDescription } from './node-description.ts';
import { modelOf, type Settings, toolsOf } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** A workflow as the command line knows it. */
export interface CliWorkflow {
  /** What the user types. */
  readonly name: string;
  readonly description: string;
  create(settings: Settings): Promise<AnyWorkflow>;
  /** The workflow's input for a question. */
  toInput(text: string): never;
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
];

/** @throws {UsageError} for a name that no workflow has. */
export function workflowNamed(name: string): CliWorkflow {
  const found = workflows.find((workflow) => workflow.name === name);
  if (found) return found;
  throw new UsageError(`There is no workflow "${name}". There is: ${workflows.map((workflow) => workflow.name).join(', ')}.`);
}

/** The workflow of a stored run. */
export function workflowOfRun(id: string): CliWorkflow {
  const found = workflows.find(({ name }) => name.replaceAll('-', '_') === id);
  if (found) return found;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run belongs to the workflow "${id}", which this program does not have.`,
    hint: 'Use the program that it was started with.',
  });
}
