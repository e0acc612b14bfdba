import { checkInteger, defineWorkflow, type JsonObject, readTaint, type Tool, type Workflow, WorkflowError } from 'agent-machines';
import { addTurn, type ConversationMessage, type LongTermMemory } from 'agent-machines/memory';
import { fittedModel, modelsByTask, offlineModel } from 'agent-machines/models';
import {
  type AgentThread,
  agentBase,
  type CallingAgentOptions,
  calculator,
  checkAgentOptions,
  checkToolNames,
  type GetCurrentDatetimeOptions,
  getCurrentDatetime,
  newAgentThread,
  optionKinds,
  parseRequest,
  type StoredTimeZone,
} from 'agent-machines/tools';
import type { Knowledge } from './knowledge-base.ts';
import { machine } from './machine.ts';
import { guideGenerationNode } from './nodes/guide-generation-node.ts';
import { llmRouter } from './nodes/llm-router.ts';
import { planningNode } from './nodes/planning-node.ts';
import { recommendToolNode } from './nodes/recommend-tool-node.ts';
import { reflectionNode } from './nodes/reflection-node.ts';
import { toolExecutor } from './nodes/tool-executor.ts';
import type { GuideAgentRuleInputs } from './rule-inputs.ts';
import { type GuideAgentServices, type GuideAgentTask, guideAgentTasks } from './services.ts';
import { type GuideAgentOutput, type GuideAgentState, reviewOf } from './state.ts';
import { readMemory } from './tools/read-memory.ts';
import { retrieveDocs } from './tools/retrieve-docs.ts';
import { writeMemory } from './tools/write-memory.ts';

export interface GuideAgentOptions extends CallingAgentOptions<GuideAgentTask> {
  /** Services and trends: `createKnowledgeBase(catalogue, documents)`, or a custom search. */
  readonly knowledge: Knowledge;
  /** Storage of memories about users. Default: none, and no memory tools. */
  readonly memory?: LongTermMemory;
  /** Further tools besides retrieve_docs, read_memory and write_memory, such as `googleSearch`. @default calculator, get_time */
  readonly tools?: readonly Tool[];
  /** Maximum number of tool calls per sub-task; invalid calls count. @default 3 */
  readonly maxToolCallsPerTask?: number;
}

export interface GuideAgentInput {
  /** The user's task or question, 1 to 1,000,000 characters. A model sees the part that fits its context. */
  readonly input: string;
  /** Id of the user whose memories are read and written: `[A-Za-z0-9_-]{1,64}`. @default 'local' */
  readonly userId?: string;
}

interface GuideAgentThread extends AgentThread {
  /** Id of the user who owns the conversation in `messages`. */
  readonly userId: string;
  readonly messages: readonly ConversationMessage[];
}

const newGuideThread: GuideAgentThread = { userId: '', messages: [], ...newAgentThread };

/** Limits of the conversation that a run sees: number of recent messages, and characters of each. The thread's turns hold all of it. */
const window = { maxMessages: 10, maxChars: 4_000 };

/** The tool `get_time`: date, time and weekday in a time zone. */
export const getTime = (options: GetCurrentDatetimeOptions = {}): Tool => ({ ...getCurrentDatetime(options), name: 'get_time' });

const ownOptions = {
  knowledge: optionKinds.required(optionKinds.objectWith('Knowledge', 'search')),
  memory: optionKinds.objectWith('a LongTermMemory', 'write'),
  maxToolCallsPerTask: optionKinds.number,
};

/**
 * Plans a piece of work, waits for a human's approval, finds a service for each part, and writes a guide.
 *
 * The run waits in `human_review` for one of the events `APPROVE`, `REVISE { feedback }`, `EDIT { sub_tasks }` and `CANCEL`. The event
 * needs the id of the interrupt whose `question` shows the plan.
 * @throws {WorkflowError} `OPTION_INVALID`, `TIME_ZONE_UNKNOWN`.
 * @example
 * const run = runtime.start(guideAgent({ knowledge }), { input: '유튜브 쇼츠를 만들어 올리고 싶어' });
 * const { interrupt } = await run.result; // status 'waiting': interrupt.question is { revision, sub_tasks, notice }
 * await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: interrupt.id });
 */
export function guideAgent(options: GuideAgentOptions): Workflow<GuideAgentInput, GuideAgentState, GuideAgentOutput> {
  checkAgentOptions('guideAgent', options, ownOptions, { callsTools: true });
  const base = agentBase(options);
  const { knowledge, memory, maxToolCallsPerTask = 3 } = options;
  const { tools = [calculator(), getTime()] } = options;
  checkInteger('maxToolCallsPerTask', maxToolCallsPerTask, { min: 1 });
  checkToolNames(['retrieve_docs', 'read_memory', 'write_memory', ...tools.map(({ name }) => name)]);
  const { modelFor, modelNames, maxRepairs } = modelsByTask<GuideAgentRuleInputs>(options, {
    otherwise: offlineModel(async () => (await import('./offline/guide-agent-rules.ts')).guideAgentRules, { advice: options.advice }),
    tasks: guideAgentTasks,
    wrap: (given) => fittedModel(given, options),
  });
  const retrieve = retrieveDocs(knowledge); // created once, because each new tool compiles its schema again
  const services: GuideAgentServices = {
    modelFor,
    maxRepairs,
    knowledge,
    toolsFor: (userId) => [retrieve, ...(memory ? [readMemory(memory, userId), writeMemory(memory, userId)] : []), ...tools],
    ...(memory ? { memory } : {}),
    ...base.egress,
  };
  return defineWorkflow<typeof machine, GuideAgentInput & StoredTimeZone, GuideAgentThread>({
    machine,
    ...base.definition,
    nodes: {
      llm_router: llmRouter(services),
      planning_node: planningNode(services),
      recommend_tool_node: recommendToolNode(services),
      tool_executor: toolExecutor(services),
      guide_generation_node: guideGenerationNode(services),
      reflection_node: reflectionNode(services),
    },
    questions: { ...base.definition.questions, human_review: reviewOf },
    model: modelNames,
    offers: (input) => ({
      tools: services.toolsFor(input?.userId ?? ''),
      limits: { maxToolCallsPerTask, maxRepairs, ...base.egress },
    }),
    parseInput: (input) => ({ ...parseInput(input), ...base.storedTimeZone }),
    toMachineInput: (stored, { thread, ...start }) => {
      const { input, userId = 'local' } = stored;
      // another user's conversation may hold personal data, and that user's permissions do not apply here
      const { messages, egressGranted } = thread.userId === userId ? thread : newGuideThread;
      return {
        input,
        userId,
        messages,
        maxToolCallsPerTask,
        isThreadUntrusted: readTaint(thread.taint).untrusted,
        ...base.startOf(stored, { ...start, thread: { taint: thread.taint, egressGranted } }),
      };
    },
    thread: {
      initial: newGuideThread,
      next: (thread, { state, finalState }) => {
        if (finalState !== 'done') return thread;
        const earlier = thread.userId === state.userId ? thread.messages : [];
        return {
          userId: state.userId,
          messages: addTurn(earlier, { question: state.input, answer: state.finalGuide ?? '' }, window),
          taint: state.taint,
          egressGranted: state.egressGranted,
        };
      },
    },
  });
}

function parseInput(value: GuideAgentInput): JsonObject {
  const request = parseRequest(value, { fields: ['userId'], example: 'your question or task' });
  const { userId = 'local' } = value;
  if (typeof userId !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(userId)) {
    throw new WorkflowError({
      code: 'ID_INVALID',
      message: 'The user id does not have 1 to 64 characters of A-Z, a-z, 0-9, _ and -.',
      hint: 'Pass the id of the signed-in user.',
    });
  }
  return { ...request, userId };
}
