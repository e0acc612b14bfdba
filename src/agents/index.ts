export {
  type CheckSourcesOptions,
  checkSources,
  describeUnconfirmed,
  type LookedUpSource,
  sourcesRepairPrompt,
} from './answers/check-sources.ts';
export { type AgentEnd, type AsToolOptions, asTool } from './as-tool/as-tool.ts';
