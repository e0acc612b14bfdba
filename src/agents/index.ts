export { type AgentEnd, type AsToolOptions, asTool } from './as-tool.ts';
