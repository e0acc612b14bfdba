import { defineMachine, type Guard, type Machine } from 'agent-machines';
import { awaitsApproval, decidesAll, type ToolReviewEvent } from 'agent-machines/tools';
import { type AgentTeamMachineInput, type AgentTeamOutput, type AgentTeamState, initialState, state, toOutput } from './state.ts';
import type { TeamMember } from './team-member.ts';

const hasToolCalls: Guard<AgentTeamState> = ({ pendingCalls }) => pendingCalls.length > 0;

/** True if this agent has the conversation. */
const isActive =
  (name: string): Guard<AgentTeamState> =>
  ({ active }) =>
    active === name;

/**
 * Machine of a team: for each agent `A` the node `A`, its tools `A_tools` and the waiting state `A_review`, and for each handoff the edge
 * `A_tools → B` with the guard `to_B`. `route` leads to the agent that had the thread.
 */
export function teamMachine(
  id: string,
  start: string,
  members: Readonly<Record<string, TeamMember<never>>>,
): Machine<AgentTeamState, AgentTeamMachineInput, AgentTeamOutput, ToolReviewEvent, string> {
  const names = Object.keys(members);
  const others = names.filter((name) => name !== start);
  const states = Object.fromEntries([
    ['route', { node: 'route', done: [...others.map((name) => ({ guard: `to_${name}`, target: name })), start], error: 'stopped' }],
    ...names.flatMap((name) => statesOf(name, members[name]?.handoffs ?? [])),
    ['done', { final: true as const }],
    ['stopped', { final: 'failure' as const }],
  ]);
  return defineMachine(state, {
    id,
    version: '1',
    initial: 'route',
    context: initialState,
    output: toOutput,
    guards: {
      hasToolCalls,
      awaitsApproval,
      decidesAll,
      ...Object.fromEntries(names.map((name) => [`to_${name}`, isActive(name)])),
    },
    states,
  });
}

const statesOf = (name: string, handoffs: readonly string[]) => {
  const [toolsState, review] = [`${name}_tools`, `${name}_review`];
  const decided = [{ guard: 'awaitsApproval', target: review, reenter: true }, toolsState];
  return [
    [name, { node: name, done: [{ guard: 'hasToolCalls', target: toolsState }, 'done'], error: 'stopped' }],
    [
      toolsState,
      {
        node: toolsState,
        done: [{ guard: 'awaitsApproval', target: review }, ...handoffs.map((to) => ({ guard: `to_${to}`, target: to })), name],
        error: 'stopped',
      },
    ],
    [
      review,
      {
        description: `Waits for a human. An approval covers exactly the calls of ${name} that were shown.`,
        waiting: { APPROVE: decided, EDIT: decided, REJECT: decided, DECIDE: { guard: 'decidesAll', target: toolsState } },
      },
    ],
  ] as const;
};
