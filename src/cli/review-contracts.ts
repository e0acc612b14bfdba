import { writeFileSync } from 'node:fs';
import { type ContractReview, type ReviewLanguage, reviewContract, toCalendar } from '../contracts/index.ts';
import { loadWithNotices } from './load-with-notices.ts';
import { printReview } from './print-review.ts';
import { reviewWords } from './review-words.ts';
import { print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface ReviewFlags {
  readonly as?: string;
  readonly standard?: string;
  readonly language?: ReviewLanguage;
  readonly today?: string;
  readonly holidays?: readonly string[];
  readonly ics?: string;
  readonly json?: boolean;
}

/**
 * Reviews contracts and prints a report of each, or one line of JSON. All files are read and checked before anything is printed or written.
 */
export async function reviewContracts(paths: readonly string[], flags: ReviewFlags): Promise<void> {
  const { ics, json = false } = flags;
  if (ics !== undefined && paths.length > 1) throw new UsageError('--ics writes the dates of one contract. Review one file at a time.');
  const reviews: ContractReview[] = [];
  for (const path of paths) reviews.push(await reviewOf(path, flags));
  for (const [index, review] of reviews.entries()) {
    if (json) print(printableJson(review));
    else {
      if (index > 0) print('');
      printReview(review, reviewWords[review.language].rulesOnly);
    }
    if (ics !== undefined) writeFileSync(ics, toCalendar(review, { now: new Date() }));
  }
}

async function reviewOf(path: string, { as, standard, language, today, holidays }: ReviewFlags): Promise<ContractReview> {
  const document = await loadWithNotices(path);
  return reviewContract(document, {
    today: today ?? localDate(new Date()),
    ...(as === undefined ? {} : { as }),
    ...(standard === undefined ? {} : { standard: await loadWithNotices(standard) }),
    ...(language === undefined ? {} : { language }),
    ...(holidays === undefined ? {} : { holidays }),
  });
}

const localDate = (now: Date): string =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
