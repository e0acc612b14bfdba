export type { Citation, CitationStatus } from '../ports/citation.ts';
export { type AgentEnd, type AsToolOptions, asTool } from './as-tool.ts';
export {
  type CheckSourcesOptions,
  checkSources,
  describeUnconfirmed,
  type LookedUpSource,
  sourcesRepairPrompt,
} from './check-sources.ts';
