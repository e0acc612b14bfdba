/** Where an article stands: in the body, behind it in the addenda (부칙), or in an exhibit (별지, 별표). */
export type ArticlePart = 'body' | 'addenda' | 'exhibit';

/**
 * What a stretch of a document is. `preamble`: title, parties and recitals, in front of the articles. `contents`: a table of contents.
 * `chapter`: the heading of one, and what stands below it. `signatures`: who signed, and when. `paragraph`: a piece of a document
 * whose structure was not read.
 */
export type ContractPart = ArticlePart | 'preamble' | 'contents' | 'chapter' | 'signatures' | 'paragraph';

/** A contract or statute, parsed. Offsets count UTF-16 units of `text`. */
export interface ContractDocument {
  /** The file's name, for example `lease.md`. */
  readonly name: string;
  /** What it calls itself; the name without its ending when it does not. */
  readonly title: string;
  /** The whole text: line ends are `\n`, nothing else is changed. */
  readonly text: string;
  /** `paragraphs`: no article was found; the document is read by paragraphs of at most 1,000 characters. */
  readonly structure: 'articles' | 'paragraphs';
  /** In the order of the text, those of addenda and exhibits included; empty where the structure was not read. */
  readonly articles: readonly Article[];
  /** Everything, in the order of the text: the articles and what stands outside of them. Each character belongs to exactly one part. */
  readonly parts: readonly Article[];
  /** In the order of the text. */
  readonly chapters: readonly Chapter[];
  /** What a reader should look at. */
  readonly warnings: readonly ContractWarning[];
}

/** One article, or an exhibit, or addenda that are not divided into articles; also what stands outside of them, see `part`. */
export interface Article {
  /** Unique within the document and the same at every parse: `body/제5조`, for the second of its kind `body/제5조#2`. */
  readonly id: string;
  readonly part: ContractPart;
  /**
   * `제10조의2`, `별지 1`, `별표`, `부칙`, `Article 5`, `Section 5.1`. Text, never a number: `제10조의2` is not `제10조`.
   * Outside of the articles `Preamble`, `Signatures`, `Contents`, `Paragraph 3`, in a Korean document `전문`, `서명`, `목차`, `문단 3`.
   */
  readonly label: string;
  /** The label as the document has it: `ARTICLE IV`, `제 5 조`, `5.`; empty where it has none. */
  readonly written: string;
  /** The `id` of the article or exhibit that it stands in: of `Article 4` for `Section 4.02`, of `Exhibit A` for its articles. */
  readonly parentId?: string;
  /** Without its brackets; empty when there is none. */
  readonly title: string;
  /** What stands below the heading, or behind it on its line, as written. */
  readonly text: string;
  readonly deleted: boolean;
  /**
   * The chapter's heading, `제2장 계약의 이행`, outermost first where one stands in another, joined with ` › `; in addenda and
   * exhibits theirs, `부칙 제12호, 2020. 1. 1.`. Empty outside of any.
   */
  readonly chapter: string;
  /** Where heading and text stand in the document, without the articles that stand in it. */
  readonly start: number;
  readonly end: number;
  /** ①, ②, …; empty for an article that is not divided. */
  readonly paragraphs: readonly ContractParagraph[];
  /** Items that stand in no paragraph. */
  readonly items: readonly ContractItem[];
  readonly references: readonly CrossReference[];
}

/** A paragraph of an article: `①`, or as written in English: `(a)`, `5.1`. */
export interface ContractParagraph {
  readonly label: string;
  /** Without its items. */
  readonly text: string;
  readonly items: readonly ContractItem[];
  /** Where it stands in the article's `text`, from its label to the end of its last item. */
  readonly start: number;
  readonly end: number;
}

/** `1.`, below it `가.`, and so on; `(i)` below `(a)`. */
export interface ContractItem {
  readonly label: string;
  /** Without its sub-items. */
  readonly text: string;
  readonly subItems: readonly ContractItem[];
  /** Where it stands in the article's `text`, from its label to the end of its last sub-item. */
  readonly start: number;
  readonly end: number;
}

export interface Chapter {
  /** `제2장`, `제1절`, `Chapter 2`. */
  readonly label: string;
  readonly title: string;
  readonly start: number;
}

/** `제5조 제2항에 따라`, `전조`, `동조 제2항`, `별지 1`. */
export interface CrossReference {
  /** As written. */
  readonly text: string;
  /** The label that it means, for example `제5조`, relative words resolved; absent when it means another document (`「민법」 제575조`). */
  readonly label?: string;
  /** The `id` of the article that it means, when the document has it. */
  readonly articleId?: string;
  /** `제2항`, when it names one. */
  readonly paragraph?: string;
  /** The other document, for example `민법`. */
  readonly document?: string;
  /** Where it stands in the article's `text`. */
  readonly start: number;
}

export interface ContractWarning {
  readonly code: 'LABEL_REPEATED' | 'LABEL_MISSING' | 'REFERENCE_BROKEN' | 'NO_ARTICLES' | 'DOCUMENT_NOTICE';
  readonly message: string;
  /** Of the article that it is about. */
  readonly articleId?: string;
}
