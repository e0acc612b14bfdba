/** What rules lack for an answer, and in which language they say so. */
export interface MissingHelp {
  readonly needs: 'model' | 'documents';
  readonly korean: boolean;
}

/** Says what its user can do to get what is missing: a few words that are put in brackets; `''` for nothing. */
export type OfflineAdvice = (missing: MissingHelp) => string | Promise<string>;
