/** The text of a file, with notices for its reader. */
export interface ReadText {
  readonly text: string;
  /** For example: pending changes were read as accepted. */
  readonly notices: readonly string[];
}

/** The notice for tracked changes, which are read as accepted. */
export const changesAccepted = (what: string): string =>
  `The document has tracked changes (${what}). They were read as accepted: what was inserted is in the text, what was deleted is not.`;
