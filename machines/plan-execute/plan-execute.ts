import {
  checkFields,
  checkInteger,
  checkText,
  defineWorkflow,
  type JsonObject,
  joinTaint,
  noTaint,
  readTaint,
  type Taint,
  type Tool,
  taintOfInput,
  type Workflow,
} from 'agent-machines';
import { checkAllowTargets, isEgressGranted, toolReviewQuestion } from 'agent-machines/executor';
import { addTurn, type ConversationMessage } from 'agent-machines/memory';
import { checkAgentOptions, fittedModel, type ModelOptions, modelsByTask, optionKinds } from 'agent-machines/models';
import { offlineModel } from 'agent-machines/offline';
import {
  calculator,
  checkTimeZone,
  describeDatetime,
  getCurrentDatetime,
  grantTools,
  type KeptTimeZone,
  keepTimeZone,
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

export interface PlanExecuteOptions extends ModelOptions<PlanExecuteTask> {
  /** @default calculator, get_current_datetime, summarize */
  readonly tools?: readonly Tool[];
  /** `auto` runs all steps whose inputs are ready at the same time; `sequential` runs one step at a time. @default 'auto' */
  readonly execution?: 'auto' | 'sequential';
  /** Maximum number of steps at the same time. @default 8 */
  readonly concurrency?: number;
  /** Maximum number of steps in one plan. @default 20 */
  readonly maxSteps?: number;
  /** Maximum number of plans after the first one. @default 3 */
  readonly maxReplans?: number;
  /** Allows external tool calls although private data is in the thread. @default false */
  readonly allowEgress?: boolean;
  /** Hosts and recipients that external calls may reach without approval: `*.example.com`, `*@example.com`. @default [] */
  readonly allowTargets?: readonly string[];
  /** Treats the user's own words as private data, so external calls wait for approval. @default false */
  readonly privateInput?: boolean;
  /** Name of the workflow. Stored runs refer to it, so each distinct agent needs its own. @default 'plan_execute' */
  readonly id?: string;
  /** Time limit of a human's answer, in milliseconds. After that, the question is repeated. Default: no limit. */
  readonly expiresInMs?: number | undefined;
  /** IANA time zone in which a run reads the current time; a run keeps its zone. @default 'Asia/Seoul' */
  readonly timeZone?: string;
}

export interface PlanExecuteInput {
  /** The user's message, 1 to 1,000,000 characters. A model sees the part that fits its context. */
  readonly input: string;
  /** Names of the tools that this run may use. Default: all tools of the workflow. */
  readonly tools?: readonly string[];
}

interface PlanExecuteThread {
  readonly messages: readonly ConversationMessage[];
  readonly taint: Taint;
  readonly egressGranted: boolean;
}

const maxInputChars = 1_000_000;
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
  const timeZone = checkTimeZone(options.timeZone);
  const { execution = 'auto', allowEgress = false, privateInput = false } = options;
  const { tools = [calculator(), getCurrentDatetime({ timeZone }), summarize()] } = options;
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
    allowEgress,
    allowTargets: checkAllowTargets(options.allowTargets ?? []),
  };
  return defineWorkflow<typeof machine, PlanExecuteInput & KeptTimeZone, PlanExecuteThread>({
    machine,
    id: options.id,
    nodes: {
      intent_classifier: intentClassifier(services),
      planner: planner(services),
      executor: executor(services),
      replanner: replanner(services),
      final_answer: finalAnswer(services),
      error_handler: errorHandler(),
    },
    questions: { tool_review: toolReviewQuestion },
    expiresInMs: options.expiresInMs,
    model: modelNames,
    offers: (input) => ({
      tools,
      granted: input?.tools,
      limits: { execution, maxSteps, maxReplans, maxRepairs, allowEgress, allowTargets: services.allowTargets },
    }),
    parseInput: (input) => ({ ...parseInput(input, tools), ...keepTimeZone(timeZone) }),
    toMachineInput: ({ input, tools: granted = [], timeZone, ...earlier }, { startedAt, thread, ...start }) => ({
      input,
      messages: thread.messages,
      currentDatetime: describeDatetime(startedAt, timeZone),
      availableTools: granted,
      maxReplans,
      taint: joinTaint(readTaint(thread.taint), taintOfInput(input, { private: privateInput, untrusted: false })),
      egressGranted: thread.egressGranted || isEgressGranted(earlier, start),
    }),
    thread: {
      initial: { messages: [], taint: noTaint, egressGranted: false },
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
  checkFields(value, ['input', 'tools']);
  const { input, tools: asked } = value ?? {};
  checkText('input', input, { max: maxInputChars, hint: "Start the run with { input: 'your question' }." });
  return { input, tools: grantTools(asked, tools) };
}
