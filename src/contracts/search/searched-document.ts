import type { Embedder } from '../../core/ports/embedder.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { createFieldIndex, type FieldIndex } from '../../search/rank/field-index.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { articlePassages } from './article-passages.ts';
import type { SettlingPassage } from './score-passages.ts';
import { searchedParts } from './searched-parts.ts';

export interface SearchedDocumentOptions {
  /** `undefined` disables vectors. */
  readonly embedder: Embedder | undefined;
  readonly tokenizer: Tokenizer;
  readonly signal: AbortSignal | undefined;
  readonly k1: number;
  readonly b: number;
  readonly titleWeight: number;
}

/** An article with its search data. */
export interface SearchedArticle {
  readonly article: Article;
  readonly titleTokens: ReadonlySet<string>;
  /** The label, folded for lookup in a question. */
  readonly label: string;
}

/** A document with its indexes. */
export interface SearchedDocument {
  readonly document: ContractDocument;
  readonly articles: readonly SearchedArticle[];
  readonly words: FieldIndex;
  readonly passages: FieldIndex;
  readonly passageTexts: readonly string[];
  /** Index of the article of each passage. */
  readonly articleOf: readonly number[];
  /** Vectors of the passages, if vectors are used. */
  readonly vectors: readonly Float32Array[];
  /** Whole paragraphs, each with the index of its article. */
  readonly paragraphs: readonly (SettlingPassage & { readonly articleIndex: number })[];
}

/** A chapter describes an article only in general terms. */
const chapterWeight = 0.3;

/** Normalizes spacing and spelling of labels such as `별지 제1호` and `Article 5`. */
export const foldLabel = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

/** Indexes one document. */
export async function searchedDocument(document: ContractDocument, options: SearchedDocumentOptions): Promise<SearchedDocument> {
  const { embedder, tokenizer, k1, b, titleWeight, signal } = options;
  const { settlingPassages } = await import('./score-passages.ts');
  const articles = searchedParts(document);
  const passages = articles.flatMap((article, articleIndex) =>
    articlePassages(article).map((text) => ({ text, title: article.title, articleIndex })),
  );
  const placeOf = new Map(articles.map((article, articleIndex) => [article, articleIndex]));
  return {
    document,
    articles: articles.map((article) => ({ article, titleTokens: new Set(tokenizer(article.title)), label: foldLabel(article.label) })),
    words: createFieldIndex({
      size: articles.length,
      fields: [
        { texts: articles.map(({ title }) => title), weight: titleWeight },
        { texts: articles.map(({ text }) => text), weight: 1 },
        { texts: articles.map(({ chapter }) => chapter), weight: chapterWeight },
      ],
      k1,
      b,
      tokenizer,
    }),
    passages: createFieldIndex({
      size: passages.length,
      fields: [
        { texts: passages.map(({ title }) => title), weight: 1 },
        { texts: passages.map(({ text }) => text), weight: 1 },
      ],
      k1,
      b,
      tokenizer,
    }),
    passageTexts: passages.map(({ text }) => text),
    articleOf: passages.map(({ articleIndex }) => articleIndex),
    vectors: embedder
      ? await embedder.embed(
          passages.map(({ title, text }) => `${title}\n${text}`),
          { purpose: 'document', ...(signal ? { signal } : {}) },
        )
      : [],
    paragraphs: settlingPassages(document, tokenizer).flatMap((paragraph) => {
      const articleIndex = placeOf.get(paragraph.passage.article);
      return articleIndex === undefined ? [] : [{ ...paragraph, articleIndex }];
    }),
  };
}
