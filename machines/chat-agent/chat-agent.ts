import { checkInteger, defineWorkflow, type JsonObject, type MessageFile, type Retriever, type Tool, type Workflow } from 'agent-machines';
import {
  addToTranscript,
  checkContext,
  cutToTokens,
  emptyWindow,
  planWindow,
  requestTokens,
  type TranscriptMessage,
  type WindowMessage,
  type WindowSettings,
  type WindowState,
} from 'agent-machines/memory';
import { fittedModel, modelsByTask, offlineModel, withFilesWithin } from 'agent-machines/models';
import {
  type AgentThread,
  agentBase,
  type CallingAgentOptions,
  calculator,
  checkAgentOptions,
  describeDatetime,
  getCurrentDatetime,
  grantTools,
  newAgentThread,
  optionKinds,
  parseRequest,
  type StoredTimeZone,
  toModelTools,
  usableTools,
} from 'agent-machines/tools';
import { machine } from './machine.ts';
import { agent } from './nodes/agent.ts';
import { memory } from './nodes/memory.ts';
import { rag } from './nodes/rag.ts';
import { router } from './nodes/router.ts';
import { tools as toolsNode } from './nodes/tools.ts';
import { defaultInstructions, questionMessage, systemText } from './prompts.ts';
import type { ChatAgentRuleInputs } from './rule-inputs.ts';
import { searchConversation } from './search-conversation.ts';
import { type ChatAgentServices, type ChatAgentTask, chatAgentTasks } from './services.ts';
import { addTokens, type ChatAgentOutput, type ChatAgentState, noTokens, type TokenAccount } from './state.ts';

export interface ChatAgentOptions extends CallingAgentOptions<ChatAgentTask> {
  /** Source of documents: a `VectorStore` or any other retriever. Default: no documents. */
  readonly retriever?: Retriever;
  /** Role and task of the model, placed before the rules of this workflow. @default that it is a helpful assistant */
  readonly instructions?: string;
  /** Maximum number of passages per question. @default 4 */
  readonly ragLimit?: number;
  /** @default calculator, get_current_datetime */
  readonly tools?: readonly Tool[];
  /** Size of the window of messages that are kept word for word. @default { maxMessages: 10, keepRecent: 5, maxSummaries: 3 } */
  readonly window?: WindowSettings;
  /** Maximum number of rounds of tool calls in one turn. @default 5 */
  readonly maxToolRounds?: number;
}

export interface ChatAgentInput {
  /** The user's message, 1 to 1,000,000 characters. A model sees the part that fits its context. */
  readonly input: string;
  /** Images and other files of the message: at most 8, of 4 MB together. A model that does not accept a file stops the run. */
  readonly files?: readonly MessageFile[];
  /** Names of the tools that this run may use. Default: all tools of the workflow. */
  readonly tools?: readonly string[];
}

/** Memory of a conversation. The thread's turns hold the whole conversation. */
export interface ChatAgentThread extends AgentThread {
  readonly window: WindowState;
  /** The conversation word for word, except for very long messages; the newest million characters. */
  readonly transcript?: readonly TranscriptMessage[];
  /** Tokens of all turns, stopped ones included. */
  readonly tokens: TokenAccount;
}

const ownOptions = {
  retriever: optionKinds.objectWith('a Retriever', 'search'),
  instructions: optionKinds.text,
  ragLimit: optionKinds.number,
  window: optionKinds.object,
  maxToolRounds: optionKinds.number,
};

/**
 * A chat agent with documents, tools and a memory. It looks documents up when a message needs them, and summarizes long conversations to
 * keep them within a window.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `TIME_ZONE_UNKNOWN`.
 * @example
 * const runtime = createRuntime({ store: sqliteStore({ path: 'chat.db' }) });
 * await runtime.start(chatAgent(), { input: '내 이름은 철수야' }, { threadId: 'abc-123' }).result;
 */
export function chatAgent(options: ChatAgentOptions = {}): Workflow<ChatAgentInput, ChatAgentState, ChatAgentOutput> {
  checkAgentOptions('chatAgent', options, ownOptions, { callsTools: true });
  const base = agentBase(options);
  const { retriever, instructions = defaultInstructions, window = {} } = options;
  const { tools = [calculator(), getCurrentDatetime()] } = options;
  const { modelFor, modelNames, contextTokensFor, maxRepairs } = modelsByTask<ChatAgentRuleInputs>(options, {
    otherwise: offlineModel(async () => (await import('./offline/chat-agent-rules.ts')).chatAgentRules, { advice: options.advice }),
    wrap: (given) => fittedModel(given, options),
    tasks: chatAgentTasks,
  });
  const maxToolRounds = checkInteger('maxToolRounds', options.maxToolRounds ?? 5, { min: 0 });
  planWindow(emptyWindow, window); // rejects invalid settings before a run starts
  const contextTokens = contextTokensFor('chat_agent.agent');
  checkRoom(instructions, tools, contextTokens);
  const ragLimit = checkInteger('ragLimit', options.ragLimit ?? 4, { min: 1 });
  const services: ChatAgentServices = {
    modelFor,
    instructions,
    contextTokensFor,
    maxRepairs,
    ...(retriever ? { retriever } : {}),
    ragLimit,
    tools,
    window,
    ...base.egress,
  };
  return defineWorkflow<typeof machine, ChatAgentInput & StoredTimeZone, ChatAgentThread>({
    machine,
    ...base.definition,
    nodes: { router: router(services), rag: rag(services), memory: memory(services), agent: agent(services), tools: toolsNode(services) },
    model: modelNames,
    offers: (input) => ({
      tools,
      granted: input?.tools,
      limits: { ragLimit, maxToolRounds, maxRepairs, ...base.egress },
    }),
    parseInput: (input) => ({ ...parseInput(input, tools), ...base.storedTimeZone }),
    toMachineInput: (stored, start) => ({
      input: stored.input,
      ...(stored.files ? { files: stored.files } : {}),
      transcript: start.thread.transcript ?? [], // threads of older versions have no transcript
      startedAt: start.startedAt,
      turnId: start.runId,
      window: start.thread.window,
      maxToolRounds,
      availableTools: stored.tools ?? [],
      ...base.startOf(stored, start),
    }),
    thread: {
      initial: { window: emptyWindow, ...newAgentThread, tokens: noTokens },
      next: (thread, { state, finalState }) => {
        const maxTokens = Math.min(maxKeptTokens, Math.floor(requestTokens(contextTokens) / 2));
        const { window, transcript, startedAt, turnId, turnMessages, taint, egressGranted } = state;
        const tokens = addTokens(thread.tokens, state.tokens);
        if (finalState !== 'done') return { ...thread, tokens };
        const question: WindowMessage = { id: `${turnId}/0`, message: questionMessage(state) };
        return {
          window: {
            ...window,
            messages: withFilesWithin([...window.messages, ...[question, ...turnMessages].map((one) => cutMessage(one, maxTokens))]),
          },
          transcript: addToTranscript(transcript, [question, ...turnMessages], startedAt),
          taint,
          egressGranted,
          tokens,
        };
      },
    },
  });
}

/** @throws {WorkflowError} `CONTEXT_TOO_SMALL` if instructions and tools leave no room for a question. */
function checkRoom(given: string, tools: readonly Tool[], contextTokens: number): void {
  const [usable, unavailable] = [usableTools(tools), tools.filter((tool) => tool.unavailable !== undefined)];
  const system = systemText(given, { currentDatetime: describeDatetime(0), tools: usable, unavailable });
  checkContext({ messages: [{ role: 'system', content: system }], tools: toModelTools(usable) }, contextTokens);
}

/** Maximum size of one message in the window, in tokens; the journal holds the whole message. */
const maxKeptTokens = 120_000;

const cutMessage = ({ id, message }: WindowMessage, maxTokens: number): WindowMessage => ({
  id,
  message: { ...message, content: cutToTokens(message.content, maxTokens) },
});

/**
 * Returns the input as it is stored: the message, and the tools that the run may use. A restart of the process does not change these tools.
 */
function parseInput(value: ChatAgentInput, tools: readonly Tool[]): JsonObject {
  const request = parseRequest(value, { fields: ['files', 'tools'], example: 'your message' });
  const { tools: asked } = value;
  const search = searchConversation.name;
  const granted = grantTools(Array.isArray(asked) ? asked.filter((name) => name !== search) : asked, tools);
  return { ...request, tools: [...granted, ...(asked === undefined || asked.includes(search) ? [search] : [])] };
}
