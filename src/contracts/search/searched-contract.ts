import { type ArticleWords, type ArticleWordsOptions, articleWords } from './article-words.ts';
import type { IndexedContract } from './indexed-contract.ts';
import type { PassageVectors } from './passage-vectors.ts';
import { wordForm } from './word-form.ts';

/** A contract with its words and vectors. */
export interface SearchedContract {
  readonly contract: IndexedContract;
  readonly words: ArticleWords;
  readonly forms: ArticleWords;
  readonly vectors: PassageVectors | undefined;
}

export const defaultScoring: ArticleWordsOptions = { k1: 1.2, b: 0.75, titleWeight: 3 };

/** Prepares a contract for `articleSignals`. Its words are counted at the first question with them. */
export const searchedContract = (contract: IndexedContract, scoring: ArticleWordsOptions, vectors?: PassageVectors): SearchedContract => ({
  contract,
  words: articleWords(contract, scoring),
  forms: articleWords(contract, scoring, (form) => contract.words.tokensWith(form, wordForm)),
  vectors,
});
