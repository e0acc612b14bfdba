/** The position of an article: in the body, in the addenda (부칙) after it, or in an exhibit (별지, 별표). */
export type ArticlePart = 'body' | 'addenda' | 'exhibit';

/**
 * The kind of a section of a document.
 *
 * - `preamble`: title, parties and recitals, before the articles.
 * - `contents`: a table of contents.
 * - `chapter`: a chapter heading and the text below it.
 * - `signatures`: the signatures and their date.
 * - `paragraph`: a piece of a document without a recognized structure.
 */
export type ContractPart = ArticlePart | 'preamble' | 'contents' | 'chapter' | 'signatures' | 'paragraph';

/** A contract or statute, parsed. Offsets count UTF-16 units of `text`. */
export interface ContractDocument {
  /** The file's name, for example `lease.md`. */
  readonly name: string;
  /** The document's own title; without one, the file name without its extension. */
  readonly title: string;
  /** The whole text, with line ends normalized to `\n` and nothing else changed. */
  readonly text: string;
  /** `paragraphs`: the parser found no article and divided the document into paragraphs of at most 1,000 characters. */
  readonly structure: 'articles' | 'paragraphs';
  /** All articles in text order, including those of addenda and exhibits. Empty if the structure is unknown. */
  readonly articles: readonly Article[];
  /** All articles and the text outside them, in text order. Each character belongs to exactly one part. */
  readonly parts: readonly Article[];
  /** Chapters in text order. */
  readonly chapters: readonly Chapter[];
  /** Problems to review. */
  readonly warnings: readonly ContractWarning[];
}

/** An article, an exhibit, or addenda without articles; also a section outside the articles, see `part`. */
export interface Article {
  /** Unique within the document and stable across parses: `body/제5조`, and `body/제5조#2` for a second one with this label. */
  readonly id: string;
  readonly part: ContractPart;
  /**
   * `제10조의2`, `별지 1`, `별표`, `부칙`, `Article 5`, `Section 5.1`. Always text, never a number: `제10조의2` differs from `제10조`. Outside the
   * articles: `Preamble`, `Signatures`, `Contents`, `Paragraph 3`; in a Korean document `전문`, `서명`, `목차`, `문단 3`.
   */
  readonly label: string;
  /** The label as written in the document: `ARTICLE IV`, `제 5 조`, `5.`. Empty if it has none. */
  readonly written: string;
  /** The `id` of the enclosing article or exhibit: `Article 4` for `Section 4.02`, `Exhibit A` for its articles. */
  readonly parentId?: string;
  /** Title without brackets; empty if there is none. */
  readonly title: string;
  /** The text below the heading, or after it on the same line, as written. */
  readonly text: string;
  readonly deleted: boolean;
  /**
   * The chapter's heading, such as `제2장 계약의 이행`. Nested headings are joined with ` › `, outermost first. In addenda and exhibits it is
   * their own heading, `부칙 제12호, 2020. 1. 1.`. Empty outside of chapters.
   */
  readonly chapter: string;
  /** Range of heading and text in the document, without nested articles. */
  readonly start: number;
  readonly end: number;
  /** ①, ②, …; empty for an article without paragraphs. */
  readonly paragraphs: readonly ContractParagraph[];
  /** Items outside of any paragraph. */
  readonly items: readonly ContractItem[];
  readonly references: readonly CrossReference[];
}

/** A paragraph of an article: `①`, or in English as written: `(a)`, `5.1`. */
export interface ContractParagraph {
  readonly label: string;
  /** Text without the items. */
  readonly text: string;
  readonly items: readonly ContractItem[];
  /** Range in the article's `text`, from the label to the end of the last item. */
  readonly start: number;
  readonly end: number;
}

/** An item such as `1.`, with `가.` and so on below it, or `(i)` below `(a)`. */
export interface ContractItem {
  readonly label: string;
  /** Text without the sub-items. */
  readonly text: string;
  readonly subItems: readonly ContractItem[];
  /** Range in the article's `text`, from the label to the end of the last sub-item. */
  readonly start: number;
  readonly end: number;
}

export interface Chapter {
  /** `제2장`, `제1절`, `Chapter 2`. */
  readonly label: string;
  readonly title: string;
  readonly start: number;
}

/** A reference: `제5조 제2항에 따라`, `전조`, `동조 제2항`, `별지 1`. */
export interface CrossReference {
  /** The reference as written. */
  readonly text: string;
  /**
   * The label of its target, for example `제5조`, with relative words resolved. Absent for a reference to another document (`「민법」 제575조`).
   */
  readonly label?: string;
  /** The `id` of the target article, if the document contains it. */
  readonly articleId?: string;
  /** `제2항`, if the reference names a paragraph. */
  readonly paragraph?: string;
  /** The other document's name, for example `민법`. */
  readonly document?: string;
  /** Range in the article's `text`. */
  readonly start: number;
}

export interface ContractWarning {
  readonly code: 'LABEL_REPEATED' | 'LABEL_MISSING' | 'REFERENCE_BROKEN' | 'NO_ARTICLES' | 'TEXT_STRUCK' | 'DOCUMENT_NOTICE';
  readonly message: string;
  /** The `id` of the article that the warning concerns. */
  readonly articleId?: string;
}
