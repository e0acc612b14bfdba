import type { JsonObject } from '../../core/ports/json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { McpSpace, McpWorkflow } from './mcp-space.ts';

export interface ListedTool extends Record<string, unknown> {
  readonly name: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
}

export const answerTool = 'answer_run';
export const showTool = 'show_run';

const plainInput: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The question or the task, in words.' } },
  required: ['input'],
};

const runId = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } as const;

/** Output schema of every tool: the result of a run. */
const outputSchema = {
  type: 'object',
  properties: {
    runId: { type: 'string' },
    threadId: { type: 'string', description: 'Of the conversation: give it to the next call to go on with it.' },
    status: { type: 'string', enum: ['done', 'waiting', 'in_doubt', 'paused', 'failed', 'cancelled'] },
    output: { description: 'Of a run that is done.' },
    questions: {
      type: 'array',
      description: `Of a run that waits for a human: answer one with ${answerTool}.`,
      items: {
        type: 'object',
        properties: { interruptId: { type: 'string' }, accepts: { type: 'array', items: { type: 'string' } }, question: {} },
        required: ['interruptId', 'accepts'],
      },
    },
    error: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } },
  },
  required: ['runId', 'status'],
} as const;

export function workflowTools({ workflows }: McpSpace): readonly ListedTool[] {
  return [...workflows.map(workflowTool), ...runTools];
}

/**
 * @throws {WorkflowError} `OPTION_INVALID` for two workflows with one id, an id that is not a valid tool name, and an input that is not an
 * object.
 */
export function checkWorkflows({ workflows }: McpSpace): void {
  const names = new Set<string>([answerTool, showTool]);
  for (const { id, inputSchema } of workflows) {
    if (!/^[a-zA-Z0-9_.-]{1,128}$/.test(id))
      throw optionInvalid(`"${id}" is not a valid tool name.`, 'Use 1 to 128 letters, digits, "_", "-" and ".".');
    if (names.has(id)) throw optionInvalid(`There are two MCP tools "${id}".`, 'Give each workflow a unique id.');
    if (inputSchema && inputSchema.type !== 'object')
      throw optionInvalid(`The input of "${id}" is not an object.`, 'Give its inputSchema the type object.');
    names.add(id);
  }
}

/** Schema of a workflow's arguments: its input, and the thread to continue if it has conversations. */
export function argumentsOf({ workflow, inputSchema = plainInput }: McpWorkflow): JsonObject & { readonly type: 'object' } {
  const own: JsonObject = isObject(inputSchema.properties) ? (inputSchema.properties as JsonObject) : {};
  const threadId = { ...runId, description: 'The conversation to go on with: `threadId` of an earlier result.' };
  const properties = workflow.thread && !Object.hasOwn(own, 'threadId') ? { ...own, threadId } : own;
  return { ...inputSchema, type: 'object', properties };
}

function workflowTool(served: McpWorkflow): ListedTool {
  const { id, title, description } = served;
  return {
    name: id,
    ...(title === undefined ? {} : { title }),
    description: description ?? `Runs the workflow ${id}.`,
    inputSchema: argumentsOf(served),
    outputSchema,
  };
}

export const answerArguments: JsonObject & { readonly type: 'object' } = {
  type: 'object',
  properties: {
    runId,
    interruptId: { type: 'string', maxLength: 200 },
    event: {
      type: 'object',
      properties: { type: { type: 'string' } },
      required: ['type'],
      additionalProperties: true,
      description: 'One of `accepts` as `type`, and the fields that it needs.',
    },
  },
  required: ['runId', 'interruptId', 'event'],
};

export const showArguments: JsonObject & { readonly type: 'object' } = { type: 'object', properties: { runId }, required: ['runId'] };

const runTools: readonly ListedTool[] = [
  {
    name: answerTool,
    title: 'Answer a waiting run',
    description:
      'Gives a human’s decision to a run that waits for one, and waits for what becomes of it. Never decide for the human: ask first.',
    inputSchema: answerArguments,
    outputSchema,
  },
  {
    name: showTool,
    title: 'Show a run',
    description: 'Says what has become of a run: whether it is done, and with what, or waits, and for what.',
    inputSchema: showArguments,
    outputSchema,
    annotations: { readOnlyHint: true },
  },
];
