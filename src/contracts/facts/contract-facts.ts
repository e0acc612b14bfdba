import type { Article, ContractDocument } from '../contract-document.ts';
import { amountsOf, type ContractAmount } from './contract-amounts.ts';
import { type ContractDate, datesOf } from './contract-dates.ts';
import { type ContractParty, partiesOf } from './contract-parties.ts';

/** Facts that a contract states about itself: its parties, dates and total amounts. Each fact includes its quote. */
export interface ContractFacts {
  /** Parties in text order; for each role the first one with a name. */
  readonly parties: readonly ContractParty[];
  /** Date of signature and effective date; other dates are not listed. */
  readonly dates: readonly ContractDate[];
  /** Amounts that the contract calls its total, price or sum. */
  readonly amounts: readonly ContractAmount[];
}

/** Number of first and of last paragraphs to read if the structure of the document is unknown. */
const maxUnread = 3;
/** Korean contracts also name their parties in 제1조. */
const maxDefining = 2;

/**
 * Returns the parties, dates and total amounts of a contract. It reads the preamble, the signatures and the articles that define them. A
 * fact that the document leaves blank (`____`) has no name or date. Uncertain facts are omitted.
 *
 * @example contractFacts(contract).parties // [{ name: 'Acme Inc.', role: 'Company', quote: '…', partId: 'preamble/Preamble' }, …]
 */
export function contractFacts({ parts, articles }: ContractDocument): ContractFacts {
  const hasNoArticles = articles.length === 0;
  const opening = hasNoArticles ? parts.slice(0, maxUnread) : parts.filter(({ part }) => part === 'preamble');
  const closing = hasNoArticles ? parts.slice(-maxUnread) : parts.filter(({ part }) => part === 'signatures');
  const first: readonly Article[] = opening.length > 0 ? opening : parts.slice(0, 1);
  return {
    parties: partiesOf(first, closing, articles.slice(0, maxDefining)),
    dates: datesOf(first, closing, parts),
    amounts: amountsOf(parts),
  };
}
