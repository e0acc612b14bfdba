import { checkInteger, defineWorkflow, type JsonObject, type Tool, type Workflow } from 'agent-machines';
import { addTurn, type ConversationMessage } from 'agent-machines/memory';
import { fittedModel, modelsByTask, offlineModel } from 'agent-machines/models';
import {
  type AgentThread,
  agentBase,
  type CallingAgentOptions,
  calculator,
  checkAgentOptions,
  getCurrentDatetime,
  grantTools,
  newAgentThread,
  optionKinds,
  parseRequest,
  type StoredTimeZone,
  summarize,
} from 'agent-machines/tools';
import { machine } from './machine.ts';
import { errorHandler } from './nodes/error-handler.ts';
import { executor } from './nodes/executor.ts';
import { finalAnswer } from './nodes/final-answer.ts';
import { intentClassifier } from './nodes/intent-classifier.ts';
import { planner } from './nodes/planner.ts';
import { replanner } from './nodes/replanner.ts';
import type { PlanExecuteRuleInputs } from './rule-inputs.ts';
import { type PlanExecuteServices, type PlanExecuteTask, planExecuteTasks } from './services.ts';
import type { PlanExecuteOutput, PlanExecuteState } from './state.ts';

export interface PlanExecuteOptions extends CallingAgentOptions<PlanExecuteTask> {
  /** @default calculator, get_current_datetime, summarize */
  readonly tools?: readonly Tool[];
  /** `auto` runs all steps whose arguments are available at the same time; `sequential` runs one step at a time. @default 'auto' */
  readonly execution?: 'auto' | 'sequential';
  /** Maximum number of steps at the same time. @default 8 */
  readonly concurrency?: number;
  /** Maximum number of steps in one plan. @default 20 */
  readonly maxSteps?: number;
  /** Maximum number of plans after the first one. @default 3 */
  readonly maxReplans?: number;
}

export interface PlanExecuteInput {
  /** The user's message, 1 to 1,000,000 characters. A model sees the part that fits its context. */
  readonly input: string;
  /** Names of the tools that this run may use. Default: all tools of the workflow. */
  readonly tools?: readonly string[];
}

interface PlanExecuteThread extends AgentThread {
  readonly messages: readonly ConversationMessage[];
}

/** Limits of the conversation that a run sees: number of recent messages, and characters of each. The thread's turns hold all of it. */
const window = { maxMessages: 20, maxChars: 4_000 };

const ownOptions = {
  execution: optionKinds.oneOf('auto', 'sequential'),
  concurrency: optionKinds.number,
  maxSteps: optionKinds.number,
  maxReplans: optionKinds.number,
};

/**
 * Plan-then-execute: reads the intent, plans once behind a gate, runs the steps without a model, replans after failures, and answers.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `TIME_ZONE_UNKNOWN`.
 * @example
 * const run = createRuntime().start(planExecute(), { input: '123 * 456 계산해줘' });
 */
export function planExecute(options: PlanExecuteOptions = {}): Workflow<PlanExecuteInput, PlanExecuteState, PlanExecuteOutput> {
  checkAgentOptions('planExecute', options, ownOptions, { callsTools: true });
  const base = agentBase(options);
  const { execution = 'auto' } = options;
  const { tools = [calculator(), getCurrentDatetime(), summarize()] } = options;
  const { modelFor, modelNames, maxRepairs } = modelsByTask<PlanExecuteRuleInputs>(options, {
    otherwise: offlineModel(async () => (await import('./offline/plan-execute-rules.ts')).planExecuteRules, { advice: options.advice }),
    tasks: planExecuteTasks,
    wrap: (given) => fittedModel(given, options),
    maxRepairs: 0,
  });
  const maxReplans = checkInteger('maxReplans', options.maxReplans ?? 3, { min: 0 });
  const maxSteps = checkInteger('maxSteps', options.maxSteps ?? 20, { min: 1 });
  const services: PlanExecuteServices = {
    modelFor,
    maxRepairs,
    tools,
    execution,
    concurrency: checkInteger('concurrency', options.concurrency ?? 8, { min: 1 }),
    maxSteps,
    ...base.egress,
  };
  return defineWorkflow<typeof machine, PlanExecuteInput & StoredTimeZone, PlanExecuteThread>({
    machine,
    ...base.definition,
    nodes: {
      intent_classifier: intentClassifier(services),
      planner: planner(services),
      executor: executor(services),
      replanner: replanner(services),
      final_answer: finalAnswer(services),
      error_handler: errorHandler(),
    },
    model: modelNames,
    offers: (input) => ({
      tools,
      granted: input?.tools,
      limits: { execution, maxSteps, maxReplans, maxRepairs, ...base.egress },
    }),
    parseInput: (input) => ({ ...parseInput(input, tools), ...base.storedTimeZone }),
    toMachineInput: (stored, start) => ({
      input: stored.input,
      messages: start.thread.messages,
      availableTools: stored.tools ?? [],
      maxReplans,
      ...base.startOf(stored, start),
    }),
    thread: {
      initial: { messages: [], ...newAgentThread },
      next: (thread, { state, finalState }) => {
        if (finalState === 'stopped') return thread;
        return {
          messages: addTurn(thread.messages, { question: state.input, answer: state.result ?? '' }, window),
          taint: state.taint,
          egressGranted: state.egressGranted,
        };
      },
    },
  });
}

/** Returns the input as it is stored: the request and the tools that it may use. A restart of the process does not change these tools. */
function parseInput(value: PlanExecuteInput, tools: readonly Tool[]): JsonObject {
  const request = parseRequest(value, { fields: ['tools'], example: 'your question' });
  return { ...request, tools: grantTools(value.tools, tools) };
}
