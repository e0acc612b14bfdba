export { type AgentTeamInput, type AgentTeamOptions, agentTeam } from './agent-team.ts';
export type { AgentTeamMachineInput, AgentTeamOutput, AgentTeamState } from './state.ts';
export type { TeamMember } from './team-member.ts';
