/** Requirements that the offline rules lack, and the language of the advice. */
export interface MissingHelp {
  readonly needs: 'model' | 'documents';
  readonly korean: boolean;
}

/** Returns advice about how the user can get the missing requirements. The few words are put in brackets; `''` shows nothing. */
export type OfflineAdvice = (missing: MissingHelp) => string | Promise<string>;
