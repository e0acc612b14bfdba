export type { Citation, CitationStatus } from '../../core/ports/citation.ts';
export { type CheckCitationsOptions, checkCitations, type ReadPart } from './check-citations.ts';
export { citableLabel, type FoundPart, findParts, type PartLookup, wholeText } from './find-part.ts';
export type { LabelHeading } from './label-heading.ts';
export { type CitedLabel, type LabelStep, labelText, type ReadLabelsOptions, readLabels } from './read-labels.ts';
