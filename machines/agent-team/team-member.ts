import type { ChatModel, Tool } from 'agent-machines';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

/** One agent of a team. */
export interface TeamMember<TContext = unknown> {
  /** Instructions of its model: its role and its task. A function makes them from the context of the run. */
  readonly instructions: string | ((context: TContext) => string);
  /** Tells the models of the other agents when to hand over to this one. Default: nothing. */
  readonly description?: string;
  /** @default [] */
  readonly tools?: readonly Tool[];
  /** Names of the agents that it may hand the conversation to. @default [] */
  readonly handoffs?: readonly string[];
  /** Default: the team's. */
  readonly model?: ChatModel;
  /**
   * Part of this run's conversation that it sees after it takes over: `all`, or the `request` alone. It always sees the thread.
   * @default 'all'
   */
  readonly history?: 'all' | 'request';
}

/** Name of the tool that hands the conversation to an agent. */
const transferName = (to: string): string => `transfer_to_${to}`;

/** The agent that a call hands over to; `undefined` for another call, also of a tool that is only named like one. */
export const transferTarget = (tool: string, handoffs: readonly string[]): string | undefined =>
  handoffs.find((to) => transferName(to) === tool);

/** The tools that a member's model may call: its own, and one for each agent that it may hand over to. */
export function toolsOf(name: string, members: Readonly<Record<string, TeamMember<never>>>): readonly Tool[] {
  const { tools = [], handoffs = [] } = members[name] ?? {};
  return [...tools, ...handoffs.map((to) => transferTool(to, members[to]?.description))];
}

const transferTool = (to: string, description: string | undefined): Tool =>
  defineTool({
    name: transferName(to),
    description: `Hands the conversation over to ${to}.${description === undefined ? '' : ` ${description}`}`,
    access: 'compute',
    input: z.strictObject({ reason: z.string().max(500).describe('Why, in one sentence.') }),
    execute: async () => `${to} has the conversation now.`,
  });
