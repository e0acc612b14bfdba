import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject, JsonSchema } from '../../core/ports/json.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { isHeldAnswer } from '../../core/util/is-held-answer.ts';
import { isObject } from '../../core/util/is-object.ts';
import { shownIssues } from '../../core/util/shown-list.ts';
import { implementation } from '../../tools/mcp/implementation.ts';
import { eventSchemas } from '../http/event-schemas.ts';
import { type Caller, followCall } from './call-workflow.ts';
import { eventForm } from './event-form.ts';
import { type McpSpace, type McpWorkflow, resultOf, startRunIn, workflowNamed } from './mcp-space.ts';
import { isLogLevel, isLoud, type LogLevel, logLineOf } from './run-log.ts';
import { listRuns, readRun, runTemplate } from './run-resources.ts';
import type { McpHandlerContext, McpSdkServer, McpServerSdk } from './server-sdk.ts';
import { refused, type ToolResult, toToolResult } from './tool-result.ts';
import { answerArguments, answerTool, argumentsOf, showArguments, showTool, workflowTools } from './workflow-tools.ts';

export interface WorkflowServerOptions {
  /** Time limit for a human's answer through the client, in milliseconds; then the run keeps waiting. @default 600_000 */
  readonly answerWithinMs?: number;
}

const methodNotFound = -32_602;
const instructions =
  'Each tool runs a workflow to its end. A result with the status "waiting" needs a decision of the human: show its question, and give the decision to answer_run.';
const defaultTextFields = { REVISE: 'feedback', REJECT: 'reason' } as const;

/** Creates the SDK server of one client, with the workflows as tools and the runs as resources. */
export function workflowServer(space: McpSpace, sdk: McpServerSdk, { answerWithinMs = 600_000 }: WorkflowServerOptions): McpSdkServer {
  const { Server, schemas } = sdk;
  const server = new Server(
    { ...implementation, title: 'agent-machines' },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }, instructions },
  );
  /** Minimum log level, set by the client. */
  let least: LogLevel = 'notice';

  const callerOf = (context: McpHandlerContext, served?: McpWorkflow): Caller => {
    const { signal, _meta: meta } = context;
    const progressToken = meta?.progressToken;
    const { elicitation } = server.getClientCapabilities() ?? {};
    const asks = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
    return {
      signal,
      isCancelled: () => server.transport !== undefined,
      textFields: { ...defaultTextFields, ...served?.textFields },
      forms: served ? formsOf(served) : {},
      log: async (event) => {
        const line = logLineOf(event);
        if (line && isLoud(line.level, least))
          await context.sendNotification({ method: 'notifications/message', params: { ...line, logger: 'agent-machines' } });
      },
      elicit: asks
        ? async (params, withdrawn) => {
            const options = { timeout: answerWithinMs, signal: withdrawn };
            const answer = await context.sendRequest({ method: 'elicitation/create', params }, schemas.ResultSchema, options);
            return isObject(answer) ? answer : {};
          }
        : undefined,
      progress:
        progressToken === undefined
          ? undefined
          : (progress, message) =>
              context.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } }),
    };
  };

  const call = async (name: string, args: JsonObject, context: McpHandlerContext): Promise<ToolResult> => {
    if (name === showTool) {
      const { runId } = checkArguments(name, showArguments, args);
      return toToolResult({ id: String(runId) }, await resultOf(space.runtime, String(runId)));
    }
    if (name === answerTool) return answer(args, context);
    const served = workflowNamed(space, name);
    if (!served) throw new schemas.McpError(methodNotFound, `There is no tool ${JSON.stringify(name)}`);
    const given = checkArguments(name, argumentsOf(served), args);
    const own = isObject(served.inputSchema?.properties) && Object.hasOwn(served.inputSchema.properties, 'threadId');
    const { threadId, ...rest } = given;
    const run = await startRunIn(space, served, own ? given : rest, own || typeof threadId !== 'string' ? undefined : threadId);
    return toToolResult(run, await followCall(space.runtime, run, callerOf(context, served)));
  };

  const answer = async (args: JsonObject, context: McpHandlerContext): Promise<ToolResult> => {
    const { runId, interruptId, event } = checkArguments(answerTool, answerArguments, args);
    const { type, ...fields } = isObject(event) ? (event as JsonObject) : {};
    await refuseReview(space, String(runId), String(interruptId));
    const run = await space.runtime.send(String(runId), { ...fields, type: String(type) }, { interruptId: String(interruptId) });
    const { workflow: ofRun } = await space.runtime.get(run.id);
    const served = space.workflows.find(({ workflow }) => workflow.id === ofRun);
    return toToolResult(run, await followCall(space.runtime, run, callerOf(context, served)));
  };

  server.setRequestHandler(schemas.ListToolsRequestSchema, async () => ({ tools: workflowTools(space) }));
  server.setRequestHandler(schemas.CallToolRequestSchema, async ({ params = {} }, context) => {
    try {
      return await call(String(params.name), isObject(params.arguments) ? (params.arguments as JsonObject) : {}, context);
    } catch (error) {
      if (WorkflowError.isInstance(error)) return refused(error);
      throw error instanceof schemas.McpError ? error : new schemas.McpError(-32_603, refused(error).content[0]?.text ?? '');
    }
  });
  addResources(server, space, schemas);
  server.setRequestHandler(schemas.SetLevelRequestSchema, async ({ params = {} }) => {
    if (isLogLevel(params.level)) least = params.level;
    return {};
  });
  return server;
}

/** Adds the readable items: runs as resources, workflows as prompts. */
function addResources(server: McpSdkServer, space: McpSpace, schemas: McpServerSdk['schemas']): void {
  server.setRequestHandler(schemas.ListResourcesRequestSchema, async () => ({ resources: await listRuns(space) }));
  server.setRequestHandler(schemas.ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: [runTemplate] }));
  server.setRequestHandler(schemas.ReadResourceRequestSchema, async ({ params = {} }) => {
    const contents = await readRun(space, String(params.uri));
    if (contents) return { contents: [contents] };
    throw new schemas.McpError(-32_002, 'There is no such resource');
  });
  server.setRequestHandler(schemas.ListPromptsRequestSchema, async () => ({ prompts: workflowPrompts(space) }));
  server.setRequestHandler(schemas.GetPromptRequestSchema, async ({ params = {} }) => {
    const prompt = readPrompt(space, String(params.name), isObject(params.arguments) ? (params.arguments as JsonObject) : {});
    if (prompt) return prompt;
    throw new schemas.McpError(-32_602, 'There is no such prompt, or it needs more arguments');
  });
  server.setRequestHandler(schemas.CompleteRequestSchema, async ({ params = {} }) =>
    completionsOf(space, { ref: params.ref, argument: params.argument }),
  );
}

const formsOf = ({ workflow }: McpWorkflow): Caller['forms'] =>
  Object.fromEntries(
    Object.entries(eventSchemas(workflow)).flatMap(([type, schema]) => {
      const form = eventForm(schema);
      return form ? [[type, form]] : [];
    }),
  );

/** @throws {WorkflowError} `TOOL_INPUT_INVALID`. */
function checkArguments(tool: string, schema: JsonSchema, args: JsonObject): JsonObject {
  const compiled = jsonSchemaValidator.compile(schema);
  const issues = compiled.ok ? compiled.check(args as Json) : [{ path: '', message: compiled.reason }];
  if (issues.length === 0) return args;
  throw new WorkflowError({
    code: 'TOOL_INPUT_INVALID',
    message: `The arguments of "${tool}" are invalid: ${shownIssues(issues)}.`,
    hint: 'Call it with arguments that match its schema.',
  });
}

interface CompletionRequest {
  readonly ref: unknown;
  readonly argument: unknown;
}

const maxValues = 100;

/** Completions for the human's text: the known values of a prompt's argument, or ids of runs. */
async function completionsOf(space: McpSpace, { ref, argument }: CompletionRequest): Promise<Record<string, unknown>> {
  const { name, value } = isObject(argument) ? argument : {};
  const begun = typeof value === 'string' ? value.toLowerCase() : '';
  const found = (await valuesOf(space, isObject(ref) ? ref : {}, String(name))).filter((one) => one.toLowerCase().startsWith(begun));
  return { completion: { values: found.slice(0, maxValues), total: found.length, hasMore: found.length > maxValues } };
}

async function valuesOf(space: McpSpace, ref: Readonly<Record<string, unknown>>, argument: string): Promise<readonly string[]> {
  if (ref.type === 'ref/resource' && ref.uri === runTemplate.uriTemplate && argument === 'runId')
    return (await listRuns(space)).map((run) => String(run.name));
  const served = ref.type === 'ref/prompt' ? workflowNamed(space, String(ref.name)) : undefined;
  const properties = served && argumentsOf(served).properties;
  const schema = isObject(properties) && Object.hasOwn(properties, argument) ? properties[argument] : undefined;
  if (!isObject(schema)) return [];
  const { type, enum: choices, examples } = schema as JsonObject;
  const said = type === 'boolean' ? [true, false] : (choices ?? examples ?? []);
  return (Array.isArray(said) ? said : []).map(String);
}

interface ListedPrompt extends Record<string, unknown> {
  readonly name: string;
}

/** Types that a human can enter in one line. */
const lineTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Every workflow as a prompt, for a human who chooses this one. Its arguments are the input fields that fit in one line. */
const workflowPrompts = ({ workflows }: McpSpace): readonly ListedPrompt[] =>
  workflows.map((served) => {
    const { id, title, description } = served;
    return {
      name: id,
      ...(title === undefined ? {} : { title }),
      description: description ?? `Runs the workflow ${id}.`,
      arguments: textsOf(served),
    };
  });

/**
 * A prompt's text, which tells the model to call the tool of the same name. Returns `undefined` for an unknown prompt or a missing
 * argument.
 */
function readPrompt(space: McpSpace, name: string, given: JsonObject): Record<string, unknown> | undefined {
  const served = workflowNamed(space, name);
  const texts = served && textsOf(served);
  if (!texts || texts.some((text) => text.required && typeof given[text.name] !== 'string')) return undefined;
  const args = Object.fromEntries(texts.flatMap((text) => (given[text.name] === undefined ? [] : [[text.name, given[text.name]]])));
  const text = `Call the tool "${served.id}" with these arguments, and show me what it answers:\n${JSON.stringify(args, null, 2)}`;
  return {
    description: served.description ?? `Runs the workflow ${served.id}.`,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function textsOf(served: McpWorkflow): readonly { readonly name: string; readonly description?: string; readonly required: boolean }[] {
  const { properties, required } = argumentsOf(served);
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    if (!isObject(schema) || !lineTypes.includes(schema.type)) return [];
    const { description } = schema;
    const isRequired = Array.isArray(required) && required.includes(name);
    return [{ name, ...(typeof description === 'string' ? { description } : {}), required: isRequired }];
  });
}

/** @throws {WorkflowError} `INTERRUPT_UNKNOWN` for a question that a reviewer decides, and not the client of the run. */
async function refuseReview({ runtime }: McpSpace, runId: string, interruptId: string): Promise<void> {
  const { result } = await runtime.get(runId);
  const open = result?.status === 'waiting' ? result.interrupts.find(({ id }) => id === interruptId) : undefined;
  if (!open || !isHeldAnswer(open)) return;
  throw new WorkflowError({
    code: 'INTERRUPT_UNKNOWN',
    message: `The run "${runId}" asks this client nothing: a guard holds its answer.`,
    hint: 'A reviewer decides it in the studio, with agent-machines send, or with runtime.send.',
  });
}
