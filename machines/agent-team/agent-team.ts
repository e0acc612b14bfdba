import {
  asJson,
  type ChatMessage,
  type ChatModel,
  checkInteger,
  defineWorkflow,
  type Json,
  type MessageFile,
  type StandardSchema,
  type Workflow,
  WorkflowError,
} from 'agent-machines';
import { addCallTurn } from 'agent-machines/memory';
import { fittedModel, withoutFiles } from 'agent-machines/models';
import {
  type AgentThread,
  agentBase,
  type CallingAgentOptions,
  checkAgentOptions,
  checkOptions,
  checkToolNames,
  newAgentThread,
  optionKinds,
  parseContext,
  parseRequest,
  type StoredTimeZone,
  toolReviewQuestion,
} from 'agent-machines/tools';
import { teamMachine } from './machine.ts';
import { ask, callTools, type MemberServices } from './nodes.ts';
import type { AgentTeamOutput, AgentTeamState } from './state.ts';
import { type TeamMember, toolsOf } from './team-member.ts';

export interface AgentTeamOptions<TContext = unknown> extends Omit<CallingAgentOptions<string>, 'model' | 'models' | 'advice' | 'id'> {
  /** Name of the workflow and of its machine. Stored runs refer to it, so each distinct team needs its own. */
  readonly id: string;
  /** Model of the agents that have none of their own. */
  readonly model: ChatModel;
  /** Name of the agent that gets the first message of a thread. */
  readonly start: string;
  /** The agents by name: letters, digits and `_`. */
  readonly agents: Readonly<Record<string, TeamMember<TContext>>>;
  /** Schema of the context that `instructions` read. Tools have schemas of their own. Default: none. */
  readonly context?: StandardSchema<TContext, TContext>;
  /** Maximum number of replies with tool calls, of all agents together; handoffs count. @default 10 */
  readonly maxSteps?: number;
  /** Maximum number of repeated model calls after a reply whose calls are all invalid. @default 1 */
  readonly maxRepairs?: number;
}

export interface AgentTeamInput {
  /** The user's request, 1 to 1,000,000 characters. */
  readonly input: string;
  /** Images and other files of the message: at most 8, of 4 MB together. */
  readonly files?: readonly MessageFile[];
  /** Data of the run for tools and instructions. Stored with the run and never shown to a model. */
  readonly context?: Json;
}

interface AgentTeamThread extends AgentThread {
  readonly messages: readonly ChatMessage[];
  /** The agent that had the conversation at the end; `null` in a new thread. */
  readonly active: string | null;
}

const window = { maxTurns: 10, maxChars: 4_000, maxCallChars: 2_000, maxAllCallsChars: 20_000 };
const reserved = ['route', 'done', 'stopped'];

/**
 * Agents that hand a conversation to one another, as one workflow: each agent is a state and each handoff an edge, so that the team is drawn,
 * linted and verified like any machine. Taint, usage and steps belong to the run. A thread goes on with the agent that had it last.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `TOOL_INVALID` for two tools with one name, `TIME_ZONE_UNKNOWN`.
 * @example
 * const shop = agentTeam({
 *   id: 'shop',
 *   model,
 *   start: 'triage',
 *   agents: {
 *     triage: { instructions: 'Find out what it is about.', handoffs: ['billing'] },
 *     billing: { instructions: 'You handle invoices.', description: 'For invoices and refunds.', tools: [refund] },
 *   },
 * });
 */
export function agentTeam<TContext = unknown>(
  options: AgentTeamOptions<TContext>,
): Workflow<AgentTeamInput, AgentTeamState, AgentTeamOutput> {
  checkAgentOptions('agentTeam', options, ownOptions, { callsTools: true });
  const { id, start, agents: members } = options;
  checkMembers(start, members);
  const base = agentBase(options);
  const maxSteps = checkInteger('maxSteps', options.maxSteps ?? 10, { min: 0 });
  const maxRepairs = checkInteger('maxRepairs', options.maxRepairs ?? 1, { min: 0 });
  const names = Object.keys(members);
  const services = names.map((name): MemberServices => {
    const { instructions = '', history = 'all', model = options.model, handoffs = [] }: Partial<TeamMember<TContext>> = members[name] ?? {};
    const tools = toolsOf(name, members);
    checkToolNames(tools.map((tool) => tool.name));
    return {
      name,
      history,
      model: fittedModel(model, options),
      tools,
      handoffs,
      task: `${id}.${name}`,
      instructions: typeof instructions === 'string' ? () => instructions : (context) => instructions(context as TContext), // parseContext has checked it
      maxRepairs,
      ...base.egress,
    };
  });
  const tools = [...new Map(services.flatMap((one) => one.tools.map((tool) => [tool.name, tool] as const))).values()];
  const allTools = services.flatMap((one) => one.tools);
  return defineWorkflow<ReturnType<typeof teamMachine>, AgentTeamInput & StoredTimeZone, AgentTeamThread>({
    machine: teamMachine(id, start, members),
    ...base.definition,
    id,
    nodes: {
      route: async () => ({}),
      ...Object.fromEntries(services.flatMap((one) => [[one.name, ask(one)] as const, [`${one.name}_tools`, callTools(one)] as const])),
    },
    questions: Object.fromEntries(names.map((name) => [`${name}_review`, toolReviewQuestion])),
    model: [...new Set(services.map(({ model }) => model.name))].join(', '),
    offers: () => ({ tools, limits: { maxSteps, maxRepairs, ...base.egress } }),
    parseInput: (input) => ({
      ...parseRequest(input, { fields: ['files', 'context'], example: 'your request' }),
      ...parseContext(input.context, allTools, options.context),
      ...base.storedTimeZone,
    }),
    toMachineInput: (stored, begun) => ({
      input: stored.input,
      ...(stored.files ? { files: stored.files } : {}),
      ...(stored.context === undefined ? {} : { runContext: asJson(stored.context) }),
      history: begun.thread.messages,
      active: begun.thread.active !== null && names.includes(begun.thread.active) ? begun.thread.active : start,
      maxSteps,
      ...base.startOf(stored, begun),
    }),
    thread: {
      initial: { messages: [], active: null, ...newAgentThread },
      next: (thread, { state, finalState }) => {
        if (finalState === 'stopped') return thread;
        const { answer, taint, egressGranted, active, input, files } = state;
        const { content: question } = withoutFiles({ role: 'user', content: input, ...(files ? { files } : {}) });
        const turn = { question, messages: state.messages, answer: answer ?? '' };
        return { messages: addCallTurn(thread.messages, turn, window), active, taint, egressGranted };
      },
    },
  });
}

const ownOptions = {
  id: optionKinds.required(optionKinds.text),
  model: optionKinds.required(optionKinds.objectWith('a ChatModel', 'generate')),
  start: optionKinds.required(optionKinds.text),
  agents: optionKinds.required(optionKinds.object),
  context: optionKinds.schema,
  maxSteps: optionKinds.number,
};

const memberOptions = {
  instructions: optionKinds.required(optionKinds.textOrFunction),
  description: optionKinds.text,
  tools: optionKinds.tools,
  handoffs: optionKinds.listOf('names of agents', (value) => typeof value === 'string'),
  model: optionKinds.objectWith('a ChatModel', 'generate'),
  history: optionKinds.oneOf('all', 'request'),
};

function checkMembers(start: string, members: Readonly<Record<string, TeamMember<never>>>): void {
  const names = Object.keys(members);
  const refuse = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'OPTION_INVALID', message, hint });
  if (!names.includes(start)) throw refuse(`The team has no agent "${start}" to start with.`, `There is: ${names.join(', ') || 'none'}.`);
  for (const name of names) {
    if (!/^[a-zA-Z]\w{0,49}$/.test(name) || /_(?:tools|review)$/.test(name) || reserved.includes(name))
      throw refuse(
        `"${name}" cannot be the name of an agent.`,
        'Use letters, digits and _, but not route, done, stopped, …_tools or …_review.',
      );
    checkOptions(`the agent "${name}"`, members[name], memberOptions);
    const { handoffs = [] } = members[name] ?? {};
    const unknown = handoffs.find((to) => to === name || !names.includes(to));
    if (unknown !== undefined)
      throw refuse(
        `The agent "${name}" cannot hand over to "${unknown}".`,
        `It can hand over to: ${names.filter((one) => one !== name).join(', ') || 'none'}.`,
      );
  }
}
