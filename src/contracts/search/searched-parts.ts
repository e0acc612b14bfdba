import type { Article, ContractDocument } from '../contract-document.ts';

/** Returns the parts of a document that can answer a question: all except tables of contents and chapter headings. */
export const searchedParts = ({ parts }: ContractDocument): readonly Article[] =>
  parts.filter(({ part }) => part !== 'contents' && part !== 'chapter');
