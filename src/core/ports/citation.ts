/**
 * Result of checking a citation. `supported`: the place or the words are there. `unknown`: the place does not exist. `unread`: the place
 * exists, but was not read. `misquoted`: the words do not stand there. `unsupported`: no text that was read has the amount, rate, date or
 * period.
 */
export type CitationStatus = 'supported' | 'unknown' | 'unread' | 'misquoted' | 'unsupported';

/** A place that an answer names, a quote, or a figure. */
export interface Citation {
  /** The named place, as `제7조 제3항` or `rules.md`; for a quote the place named with it, if any; empty for a figure. */
  readonly label: string;
  /** The quoted words or the figure; empty if only a place is named. */
  readonly quote: string;
  readonly status: CitationStatus;
}
