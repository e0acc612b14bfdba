import {
  asJson,
  type ChatMessage,
  checkInteger,
  defineWorkflow,
  type Json,
  type JsonObject,
  type MessageFile,
  type StandardSchema,
  type Tool,
  type ToolsContext,
  type Workflow,
} from 'agent-machines';
import { addCallTurn } from 'agent-machines/memory';
import { fittedModel, modelsByTask, offlineModel, withoutFiles } from 'agent-machines/models';
import {
  type AgentThread,
  agentBase,
  type CallingAgentOptions,
  calculator,
  checkAgentOptions,
  checkStepSettings,
  checkToolNames,
  getCurrentDatetime,
  grantTools,
  newAgentThread,
  optionKinds,
  parseContext,
  parseRequest,
  type StepSettings,
  type StopCondition,
  type StoredTimeZone,
} from 'agent-machines/tools';
import { answerReviewQuestion } from './answer-review.ts';
import { machine } from './machine.ts';
import { agent } from './nodes/agent.ts';
import { tools as toolsNode } from './nodes/tools.ts';
import { defaultInstructions, questionMessage } from './prompts.ts';
import type { ToolAgentRuleInputs } from './rule-inputs.ts';
import { type ToolAgentServices, type ToolAgentTask, toolAgentTasks } from './services.ts';
import type { ToolAgentOutput, ToolAgentState } from './state.ts';

export interface ToolAgentOptions<TOutput = string, TTools extends readonly Tool[] = readonly Tool[], TContext = unknown>
  extends CallingAgentOptions<ToolAgentTask> {
  /**
   * Instructions of the model: its role and its task. A function makes them from the context of the run, before each model call.
   * @default that it is a helpful assistant
   */
  readonly instructions?: string | ((context: TContext) => string);
  /** Schema of the context that `instructions` read. Tools have schemas of their own. Default: none. */
  readonly context?: StandardSchema<TContext, TContext>;
  /**
   * Settings of a step, from the state before it: model, instructions, tools, tool choice. Called before each model call, and again after a
   * crash, so it is pure and synchronous. Default: the agent's own settings for each step.
   */
  readonly prepareStep?: (state: Readonly<ToolAgentState>, context: TContext) => StepSettings | undefined;
  /**
   * Conditions that end the run after the calls of a step, with the outcome `stopped-early`: `calledTool`, `stepsAtMost`, `costAtMost`, or
   * your own. @default []
   */
  readonly stopWhen?: readonly StopCondition[];
  /** @default calculator, get_current_datetime */
  readonly tools?: TTools;
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
  /**
   * Parts of a turn that a thread keeps for its next run. `answers`: the last ten questions and answers. `calls`: also the newest tool calls
   * with their results, up to `maxChars` characters, each result cut to 2,000. @default { keep: 'calls', maxChars: 20_000 }
   */
  readonly threads?: { readonly keep?: 'calls' | 'answers'; readonly maxChars?: number };
}

export interface ToolAgentRequest {
  /** The user's request, 1 to 1,000,000 characters. A model sees the part that fits its context. */
  readonly input: string;
  /** Images and other files of the message: at most 8, of 4 MB together. A model that does not accept a file stops the run. */
  readonly files?: readonly MessageFile[];
  /** Names of the tools that this run may use. Default: all tools of the workflow. */
  readonly tools?: readonly string[];
}

/**
 * Input of a run. `context` is data for the tools that have a schema for it, such as the user's id. It is stored with the run, so that any
 * worker can go on with it, and never shown to a model. Keep credentials out.
 */
export type ToolAgentInput<TContext = unknown> = ToolAgentRequest &
  (unknown extends TContext ? { readonly context?: Json } : { readonly context: TContext });

/** Questions, calls, results and answers of a conversation, kept for its next run. */
interface ToolAgentThread extends AgentThread {
  readonly messages: readonly ChatMessage[];
}

const window = { maxTurns: 10, maxChars: 4_000, maxCallChars: 2_000 };

const ownOptions = {
  instructions: optionKinds.textOrFunction,
  context: optionKinds.schema,
  output: optionKinds.schema,
  maxSteps: optionKinds.number,
  prepareStep: optionKinds.fn,
  stopWhen: optionKinds.listOf('functions', (value) => typeof value === 'function'),
  threads: {
    what: "an object { keep: 'calls' | 'answers', maxChars }",
    is: (value: unknown) =>
      Object(value) === value && ['calls', 'answers', undefined].includes(Object(value).keep) && !Array.isArray(value),
  },
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
export function toolAgent<TOutput = string, const TTools extends readonly Tool[] = readonly Tool[], TContext = unknown>(
  options: ToolAgentOptions<TOutput, TTools, TContext> = {},
): Workflow<ToolAgentInput<ToolsContext<TTools> & TContext>, ToolAgentState, ToolAgentOutput<TOutput>> {
  checkAgentOptions('toolAgent', options, ownOptions, { callsTools: true });
  const base = agentBase(options);
  const { instructions = defaultInstructions, output, prepareStep, stopWhen = [] } = options;
  const tools: readonly Tool[] = options.tools ?? [calculator(), getCurrentDatetime()];
  checkToolNames(tools.map(({ name }) => name));
  const { modelFor, modelNames } = modelsByTask<ToolAgentRuleInputs>(options, {
    otherwise: offlineModel(async () => (await import('./offline/tool-agent-rules.ts')).toolAgentRules, { advice: options.advice }),
    tasks: toolAgentTasks,
    wrap: (given) => fittedModel(given, options),
  });
  const maxSteps = checkInteger('maxSteps', options.maxSteps ?? 10, { min: 0 });
  const maxRepairs = checkInteger('maxRepairs', options.maxRepairs ?? 1, { min: 0 });
  const { keep = 'calls', maxChars = 20_000 } = options.threads ?? {};
  const maxAllCallsChars = keep === 'calls' ? checkInteger('threads.maxChars', maxChars, { min: 0 }) : 0;
  const services: ToolAgentServices = {
    modelFor,
    instructions: typeof instructions === 'string' ? () => instructions : (context) => instructions(context as TContext), // parseContext has checked it
    prepareStep: (state) => checkStepSettings(prepareStep?.(state, state.runContext as TContext), tools),
    stopWhen,
    tools,
    ...(output ? { schema: output } : {}),
    maxRepairs,
    ...base.egress,
  };
  const workflow = defineWorkflow<typeof machine, ToolAgentInput & StoredTimeZone, ToolAgentThread>({
    machine,
    ...base.definition,
    questions: { ...base.definition.questions, answer_review: answerReviewQuestion },
    nodes: { agent: agent(services), tools: toolsNode(services) },
    model: modelNames,
    offers: (input) => ({
      tools,
      granted: input?.tools,
      limits: { maxSteps, maxRepairs, ...base.egress },
    }),
    parseInput: (input) => ({ ...parseInput(input, tools, options.context), ...base.storedTimeZone }),
    toMachineInput: (stored, start) => ({
      input: stored.input,
      ...(stored.files ? { files: stored.files } : {}),
      ...(stored.context === undefined ? {} : { runContext: asJson(stored.context) }),
      history: start.thread.messages,
      maxSteps,
      availableTools: stored.tools ?? [],
      ...base.startOf(stored, start),
    }),
    thread: {
      initial: { messages: [], ...newAgentThread },
      next: (thread, { state, finalState }) => {
        if (finalState === 'stopped') return thread;
        const { answer, taint, egressGranted } = state;
        const { content: question } = withoutFiles(questionMessage(state));
        const turn = { question, messages: state.messages, answer: answer ?? '' };
        return { messages: addCallTurn(thread.messages, turn, { ...window, maxAllCallsChars }), taint, egressGranted };
      },
    },
  });
  // for the machine the output is JSON; the schema has already parsed it
  return workflow as Workflow<ToolAgentInput<ToolsContext<TTools> & TContext>, ToolAgentState, ToolAgentOutput<TOutput>>;
}

/**
 * Returns the input as it is stored: the request, and the tools that the run may use. A restart of the process does not change these tools.
 */
function parseInput(value: ToolAgentInput, tools: readonly Tool[], context: StandardSchema<unknown> | undefined): JsonObject {
  const request = parseRequest(value, { fields: ['files', 'tools', 'context'], example: 'your request' });
  return { ...request, ...parseContext(value.context, tools, context), tools: grantTools(value.tools, tools) };
}
