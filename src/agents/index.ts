export { checkOptions } from '../core/util/check-options.ts';
export * from '../plan/index.ts';
export * from '../tools/index.ts';
export {
  type CheckSourcesOptions,
  checkSources,
  describeUnconfirmed,
  type LookedUpSource,
  sourcesRepairPrompt,
} from './answers/check-sources.ts';
export { type AgentEnd, type AsToolOptions, asTool } from './as-tool/as-tool.ts';
export { type AgentBase, agentBase } from './factory/agent-base.ts';
export { type AgentOptions, type CallingAgentOptions, checkAgentOptions, optionKinds } from './factory/check-agent-options.ts';
export { parseContext } from './factory/parse-context.ts';
export { parseRequest, type StoredRequest } from './factory/parse-request.ts';
export * from './loop/index.ts';
