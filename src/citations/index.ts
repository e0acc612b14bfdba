export { type CheckCitationsOptions, type Citation, type CitationStatus, checkCitations, type ReadPart } from './check-citations.ts';
export {
  type CheckSourcesOptions,
  checkSources,
  describeUnconfirmed,
  type LookedUpSource,
  sourcesRepairPrompt,
} from './check-sources.ts';
export { citableLabel, type FoundPart, findParts, type PartLookup } from './find-part.ts';
export type { LabelHeading } from './label-heading.ts';
export { type CitedLabel, type LabelStep, labelText, type ReadLabelsOptions, readLabels } from './read-labels.ts';
