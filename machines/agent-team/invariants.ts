import type { ModelToolCall } from 'agent-machines';
import { always, type ExploreOptions, eventually, type Invariant, never, neverLoses, type OutcomeClass } from 'agent-machines/testing';
import { batchReviewOutcomes, pendingCallsOutcomes } from 'agent-machines/tools';
import type { AgentTeamInput } from './agent-team.ts';
import type { AgentTeamState } from './state.ts';
import type { TeamMember } from './team-member.ts';

type Outcome = OutcomeClass<AgentTeamState>;
type State = Readonly<AgentTeamState>;
type Members = Readonly<Record<string, Pick<TeamMember<never>, 'handoffs'>>>;

const call = (id: string): ModelToolCall => ({ id, name: 'tool', arguments: '{}' });

/** An agent answers, or calls tools while steps are left. After the last step, any reply ends the run. */
const said =
  (active: string) =>
  ({ steps, maxSteps }: State): readonly Outcome[] => {
    const end = (outcome: 'answered' | 'step-limit'): Outcome => ({
      name: outcome,
      patch: { active, answer: 'a', outcome, pendingCalls: [] },
    });
    if (steps >= maxSteps) return [end('step-limit')];
    const calls = (...pendingCalls: readonly ModelToolCall[]): Outcome => ({
      name: `${pendingCalls.length} calls`,
      patch: { active, pendingCalls, steps: steps + 1 },
    });
    return [end('answered'), calls(call('1')), calls(call('1'), call('2'))];
  };

/** The calls are answered or wait; once all are answered, each declared handoff may have been among them. */
const called =
  (handoffs: readonly string[]) =>
  (state: State): readonly Outcome[] => [
    ...pendingCallsOutcomes(state),
    ...handoffs.flatMap((to) =>
      pendingCallsOutcomes(state, { active: to })
        .slice(0, 1)
        .map(({ patch }) => ({ name: `hands over to ${to}`, patch })),
    ),
  ];

/**
 * Options for `exploreMachine` that replace the models, tools and humans of a team.
 *
 * @param agents The agents of the team; only their handoffs are read.
 * @example const explored = exploreMachine(team, teamExploration(agents));
 */
export function teamExploration(agents: Members): ExploreOptions<AgentTeamInput, AgentTeamState> {
  const names = Object.keys(agents);
  return {
    inputs: [{ input: 'a request' }],
    outcomes: {
      route: [{ patch: {} }],
      ...Object.fromEntries(
        names.flatMap((name) => [
          [name, said(name)] as const,
          [`${name}_tools`, called(agents[name]?.handoffs ?? [])] as const,
          [`${name}_review`, batchReviewOutcomes] as const,
        ]),
      ),
    },
    abstract: ({ active, pendingCalls, answers, heldCalls, decisions, steps, answer, outcome, error }) => [
      active,
      pendingCalls.length,
      answers.map((answer) => answer !== null),
      heldCalls.map(({ key }) => key),
      decisions.map((one) => one.held.key),
      steps,
      answer !== null,
      outcome,
      error !== null,
    ],
  };
}

/** Invariants of every run of a team, whatever models, tools and humans do. */
export function teamInvariants(agents: Members): readonly Invariant<AgentTeamState>[] {
  const names = Object.keys(agents);
  return [
    never('an agent gets the conversation only by a declared handoff', ({ isIn, by }) =>
      names.some((from) =>
        names.some((to) => by === `${from}_tools` && from !== to && isIn(to) && !(agents[from]?.handoffs ?? []).includes(to)),
      ),
    ),
    always('the agent that works has the conversation', ({ isIn, state }) => names.every((name) => !isIn(name) || state.active === name)),
    never('every call has its result before the next model call', ({ isIn, state }) =>
      names.some((name) => isIn(name) && state.pendingCalls.length > 0),
    ),
    always(
      'a human decides every call that waits',
      ({ isIn, state }) => names.some((name) => isIn(`${name}_review`)) === (state.heldCalls.length > 0 && state.error === null),
    ),
    always('steps stay within their limit', ({ state }) => state.steps <= state.maxSteps),
    neverLoses('no message, taint or token count is lost', ['messages', 'taint', 'usage']),
    eventually('every run ends', ({ done }) => done),
  ];
}
