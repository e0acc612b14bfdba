export { describeToolAgent } from './describe.ts';
export { toolAgentRules } from './offline/tool-agent-rules.ts';
export type { ToolAgentRuleInputs } from './rule-inputs.ts';
export type { ToolAgentTask } from './services.ts';
export type { ToolAgentEnd, ToolAgentMachineInput, ToolAgentOutput, ToolAgentState } from './state.ts';
export { type ToolAgentInput, type ToolAgentOptions, type ToolAgentRequest, toolAgent } from './tool-agent.ts';
