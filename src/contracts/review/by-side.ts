import type { ReviewFinding } from './contract-review.ts';
import { bothSides } from './review-sides.ts';

const order: readonly (ReviewFinding['side'] | undefined)[] = ['against', 'both', undefined, 'for'];

/** Adds the side of each finding for a party, and puts those against it first. */
export function bySide(findings: readonly ReviewFinding[], as: string | undefined): readonly ReviewFinding[] {
  if (as === undefined) return findings;
  return findings
    .map((finding): ReviewFinding => {
      const { burdens } = finding;
      if (burdens === undefined) return finding;
      return { ...finding, side: burdens === bothSides ? 'both' : burdens === as ? 'against' : 'for' };
    })
    .sort((a, b) => order.indexOf(a.side) - order.indexOf(b.side));
}
