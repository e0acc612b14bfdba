import type { Article, ContractDocument } from '../contract-document.ts';
import { amountsOf, type ContractAmount } from './contract-amounts.ts';
import { type ContractDate, datesOf } from './contract-dates.ts';
import { type ContractParty, partiesOf } from './contract-parties.ts';

/** What a contract says of itself: between whom, of when, and for how much. Everything with the words that say it. */
export interface ContractFacts {
  /** In the order of the text; of each role the first that has a name. */
  readonly parties: readonly ContractParty[];
  /** When it was signed, and when it takes effect; other dates are not listed. */
  readonly dates: readonly ContractDate[];
  /** Amounts that are called total, price or sum of the contract. */
  readonly amounts: readonly ContractAmount[];
}

/** Of a document whose structure was not read, the first paragraphs and the last. */
const maxUnread = 3;
/** Korean contracts name their parties in 제1조, too. */
const maxDefining = 2;

/**
 * Parties, dates and total amounts of a contract, from its preamble, its signatures and the articles that define them. What is left blank in
 * the document (`____`) is listed without a name or a date; what cannot be told is not listed.
 *
 * @example contractFacts(contract).parties // [{ name: 'Acme Inc.', role: 'Company', quote: '…', partId: 'preamble/Preamble' }, …]
 */
export function contractFacts({ parts, articles }: ContractDocument): ContractFacts {
  const unread = articles.length === 0;
  const opening = unread ? parts.slice(0, maxUnread) : parts.filter(({ part }) => part === 'preamble');
  const closing = unread ? parts.slice(-maxUnread) : parts.filter(({ part }) => part === 'signatures');
  const first: readonly Article[] = opening.length > 0 ? opening : parts.slice(0, 1);
  return {
    parties: partiesOf(first, closing, articles.slice(0, maxDefining)),
    dates: datesOf(first, closing, parts),
    amounts: amountsOf(parts),
  };
}
