/** Where an article stands: in the body, behind it in the addenda (부칙), or in an exhibit (별지, 별표). */
export type ContractPart = 'body' | 'addenda' | 'exhibit';

/** A contract or statute, parsed. Offsets count UTF-16 units of `text`. */
export interface ContractDocument {
  /** The file's name, for example `lease.md`. */
  readonly name: string;
  /** What it calls itself; the name without its ending when it does not. */
  readonly title: string;
  /** The whole text: line ends are `\n`, nothing else is changed. */
  readonly text: string;
  /** In the order of the text, those of addenda and exhibits included. */
  readonly articles: readonly Article[];
  /** In the order of the text. */
  readonly chapters: readonly Chapter[];
  /** What a reader should look at. */
  readonly warnings: readonly ContractWarning[];
}

/** One article, or an exhibit, or addenda that are not divided into articles. */
export interface Article {
  /** Unique within the document and the same at every parse: `body/제5조`, for the second of its kind `body/제5조#2`. */
  readonly id: string;
  readonly part: ContractPart;
  /** `제10조의2`, `별지 1`, `별표`, `부칙`, `Article 5`, `Section 5.1`. Text, never a number: `제10조의2` is not `제10조`. */
  readonly label: string;
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
  /** Where heading and text stand in the document. */
  readonly start: number;
  readonly end: number;
  /** ①, ②, …; empty for an article that is not divided. */
  readonly paragraphs: readonly ContractParagraph[];
  /** Items that stand in no paragraph. */
  readonly items: readonly ContractItem[];
  readonly references: readonly CrossReference[];
}

export interface ContractParagraph {
  /** `①`, or as written in English: `(a)`, `5.1`. */
  readonly label: string;
  /** Without its items. */
  readonly text: string;
  readonly items: readonly ContractItem[];
}

/** `1.`, and below it `가.` */
export interface ContractItem {
  readonly label: string;
  /** Without its sub-items. */
  readonly text: string;
  readonly subItems: readonly ContractItem[];
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
  readonly code: 'LABEL_REPEATED' | 'LABEL_MISSING' | 'REFERENCE_BROKEN' | 'NO_ARTICLES';
  readonly message: string;
  /** Of the article that it is about. */
  readonly articleId?: string;
}
