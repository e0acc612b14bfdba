import {
  asJson,
  checkFields,
  checkInteger,
  checkText,
  defineWorkflow,
  type JsonObject,
  joinTaint,
  type MessageFile,
  noTaint,
  readTaint,
  type StandardSchema,
  type Taint,
  type Tool,
  taintOfInput,
  type Workflow,
} from 'agent-machines';
import { checkAllowTargets, isEgressGranted, toolReviewQuestion } from 'agent-machines/executor';
import { addTurn, type ConversationMessage } from 'agent-machines/memory';
import {
  checkAgentOptions,
  fittedModel,
  type ModelOptions,
  modelsByTask,
  optionKinds,
  parseMessageFiles,
  withoutFiles,
} from 'agent-machines/models';
import { offlineModel } from 'agent-machines/offline';
import {
  calculator,
  checkTimeZone,
  checkToolNames,
  describeDatetime,
  getCurrentDatetime,
  grantTools,
  type KeptTimeZone,
  keepTimeZone,
} from 'agent-machines/tools';
import { machine } from './machine.ts';
import { agent } from './nodes/agent.ts';
import { tools as toolsNode } from './nodes/tools.ts';
import { defaultInstructions, questionMessage } from './prompts.ts';
import type { ToolAgentRuleInputs } from './rule-inputs.ts';
import { type ToolAgentServices, type ToolAgentTask, toolAgentTasks } from './services.ts';
import type { ToolAgentOutput, ToolAgentState } from './state.ts';

export interface ToolAgentOptions<TOutput = string> extends ModelOptions<ToolAgentTask> {
  /** Instructions of the model: its role and its task. @default that it is a helpful assistant */
  readonly instructions?: string;
  /** @default calculator, get_current_datetime */
  readonly tools?: readonly Tool[];
  /**
   * Schema of the answer, for an object: zod or another library that follows Standard Schema. The answer is stored, so it is parsed as
   * JSON. Default: text.
   */
  readonly output?: StandardSchema<TOutput>;
  /**
   * Maximum number of replies with tool calls; each reply can hold any number of calls. After the last one, the model is called once more
   * without tools. @default 10
   */
  readonly maxSteps?: number;
  /** Maximum number of repeated model calls after an answer that does not match `output`. @default 1 */
  readonly maxRepairs?: number;
  /** Allows external tool calls although private data is in the thread. @default false */
  readonly allowEgress?: boolean;
  /** Hosts and recipients that external calls may reach without approval: `*.example.com`, `*@example.com`. @default [] */
  readonly allowTargets?: readonly string[];
  /** Treats the user's own words as private data, so external calls wait for approval. @default false */
  readonly privateInput?: boolean;
  /** Name of the workflow. Stored runs refer to it, so each distinct agent needs its own. @default 'tool_agent' */
  readonly id?: string;
  /** Time limit of a human's answer, in milliseconds. After that, the question is repeated. Default: no limit. */
  readonly expiresInMs?: number | undefined;
  /** IANA time zone in which a run reads the current time; a run keeps its zone. @default 'Asia/Seoul' */
  readonly timeZone?: string;
}

export interface ToolAgentInput {
  /** The user's request, 1 to 1,000,000 characters. A model sees the part that fits its context. */
  readonly input: string;
  /** Images and other files of the message: at most 8, of 4 MB together. A model that does not accept a file stops the run. */
  readonly files?: readonly MessageFile[];
  /** Names of the tools that this run may use. Default: all tools of the workflow. */
  readonly tools?: readonly string[];
}

/** Questions and answers of a conversation, kept for its next run. */
interface ToolAgentThread {
  readonly messages: readonly ConversationMessage[];
  readonly taint: Taint;
  readonly egressGranted: boolean;
}

const maxInputChars = 1_000_000;
const window = { maxMessages: 20, maxChars: 4_000 };

const ownOptions = {
  instructions: optionKinds.text,
  output: { what: 'a Standard Schema', is: (value: unknown) => Object(value) === value && '~standard' in Object(value) },
  maxSteps: optionKinds.number,
};

/**
 * An agent in a tool loop: a model, tools and instructions. The calls of one reply run at the same time, and those that need approval wait
 * for a human. The loop ends with an answer, as text or in the form of a schema.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `TIME_ZONE_UNKNOWN`.
 * @example
 * const agent = toolAgent({ model, tools: [price, calculator()], instructions: 'You sell fruit.' });
 * const result = await createRuntime().start(agent, { input: 'What are twelve apples?' }).result;
 */
export function toolAgent<TOutput = string>(
  options: ToolAgentOptions<TOutput> = {},
): Workflow<ToolAgentInput, ToolAgentState, ToolAgentOutput<TOutput>> {
  checkAgentOptions('toolAgent', options, ownOptions, { callsTools: true });
  const timeZone = checkTimeZone(options.timeZone);
  const { instructions = defaultInstructions, output, allowEgress = false, privateInput = false } = options;
  const { tools = [calculator(), getCurrentDatetime({ timeZone })] } = options;
  checkToolNames(tools.map(({ name }) => name));
  const { modelFor, modelNames } = modelsByTask<ToolAgentRuleInputs>(options, {
    otherwise: offlineModel(async () => (await import('./offline/tool-agent-rules.ts')).toolAgentRules, { advice: options.advice }),
    tasks: toolAgentTasks,
    wrap: (given) => fittedModel(given, options),
  });
  const maxSteps = checkInteger('maxSteps', options.maxSteps ?? 10, { min: 0 });
  const maxRepairs = checkInteger('maxRepairs', options.maxRepairs ?? 1, { min: 0 });
  const services: ToolAgentServices = {
    modelFor,
    instructions,
    tools,
    ...(output ? { schema: output } : {}),
    maxRepairs,
    allowEgress,
    allowTargets: checkAllowTargets(options.allowTargets ?? []),
  };
  const workflow = defineWorkflow<typeof machine, ToolAgentInput & KeptTimeZone, ToolAgentThread>({
    machine,
    id: options.id,
    nodes: { agent: agent(services), tools: toolsNode(services) },
    questions: { tool_review: toolReviewQuestion },
    expiresInMs: options.expiresInMs,
    model: modelNames,
    offers: (input) => ({
      tools,
      granted: input?.tools,
      limits: { maxSteps, maxRepairs, allowEgress, allowTargets: services.allowTargets },
    }),
    parseInput: (input) => ({ ...parseInput(input, tools), ...keepTimeZone(timeZone) }),
    toMachineInput: ({ input, files, tools: granted = [], timeZone, ...earlier }, { startedAt, thread, ...start }) => ({
      input,
      ...(files ? { files } : {}),
      history: thread.messages,
      currentDatetime: describeDatetime(startedAt, timeZone),
      maxSteps,
      availableTools: granted,
      // Decision 431: text in an attached file is rarely written by the user.
      taint: joinTaint(readTaint(thread.taint), taintOfInput(input, { private: privateInput, untrusted: files !== undefined })),
      egressGranted: thread.egressGranted || isEgressGranted(earlier, start),
    }),
    thread: {
      initial: { messages: [], taint: noTaint, egressGranted: false },
      next: (thread, { state, finalState }) => {
        if (finalState === 'stopped') return thread;
        const { answer, taint, egressGranted } = state;
        const { content: question } = withoutFiles(questionMessage(state));
        return { messages: addTurn(thread.messages, { question, answer: answer ?? '' }, window), taint, egressGranted };
      },
    },
  });
  // for the machine the output is JSON; the schema has already parsed it
  return workflow as Workflow<ToolAgentInput, ToolAgentState, ToolAgentOutput<TOutput>>;
}

/**
 * Returns the input as it is stored: the request, and the tools that the run may use. A restart of the process does not change these tools.
 */
function parseInput(value: ToolAgentInput, tools: readonly Tool[]): JsonObject {
  checkFields(value, ['input', 'files', 'tools']);
  const { input, files: given, tools: asked } = value ?? {};
  checkText('input', input, { max: maxInputChars, hint: "Start the run with { input: 'your request' }." });
  const files = parseMessageFiles(given);
  return {
    input,
    ...(files.length > 0 ? { files: asJson(files) } : {}),
    tools: grantTools(asked, tools),
  };
}
