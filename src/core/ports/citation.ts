/**
 * Result of checking a citation. `supported`: the place or the words are there. `unknown`: the place does not exist. `unread`: the place
 * exists, but was not read. `misquoted`: the words do not stand there. `unsupported`: no text that was read has the amount, rate, date,
 * period or court, or a text permits what the answer forbids, or the reverse.
 */
export type CitationStatus = 'supported' | 'unknown' | 'unread' | 'misquoted' | 'unsupported';

/** A place that an answer names, a quote, a figure, a court, or a permission. */
export interface Citation {
  /** The named place, as `제7조 제3항` or `rules.md`; for a quote the place named with it, if any; empty for a figure. */
  readonly label: string;
  /** The quoted words, the figure, the court, or the sentence of the permission; empty if only a place is named. */
  readonly quote: string;
  readonly status: CitationStatus;
}
