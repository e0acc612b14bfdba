import type { Article, ContractDocument } from '../contract-document.ts';

/** What of a document can answer a question: everything but tables of contents and the headings of chapters. */
export const searchedParts = ({ parts }: ContractDocument): readonly Article[] =>
  parts.filter(({ part }) => part !== 'contents' && part !== 'chapter');
