export { type ChatAgentInput, type ChatAgentOptions, type ChatAgentThread, chatAgent } from './chat-agent.ts';
export { describeChatAgent } from './describe.ts';
export { chatAgentRules } from './offline/chat-agent-rules.ts';
export type { ChatAgentRuleInputs } from './rule-inputs.ts';
export type { ChatAgentTask } from './services.ts';
export type { ChatAgentMachineInput, ChatAgentOutput, ChatAgentState, TokenAccount } from './state.ts';
