export { type ContractAgentInput, type ContractAgentOptions, contractAgent } from './contract-agent.ts';
export type { ContractEntry } from './contract-library.ts';
export { describeContractAgent } from './describe.ts';
export { contractAgentRules } from './offline/contract-agent-rules.ts';
export type { ContractAgentRuleInputs } from './rule-inputs.ts';
export type { ContractAgentTask } from './services.ts';
export type { AnswerOfContract, ContractMaterial, ContractReply } from './several/answer-by-contract.ts';
export type {
  ArticleRef,
  CollectedArticle,
  ContractAgentMachineInput,
  ContractAgentOutput,
  ContractAgentState,
  ContractRow,
  ContractSide,
  Decision,
  Finding,
  PlannedCall,
  ToolRecord,
} from './state.ts';
export { type ContractStreamEvent, streamOf } from './stream-of.ts';
