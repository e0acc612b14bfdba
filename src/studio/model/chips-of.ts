import type { Json } from '../../ports/json.ts';
import { type CitedQuote, citationsOf, sourcesOf } from './answer-of.ts';

/** What an answer rests on: its quotes in their order, then the names of sources that nothing was quoted from. */
export function chipsOf(output: Json | undefined, sources: Json | undefined): readonly CitedQuote[] {
  let before = '';
  const cited = citationsOf(output)
    .filter(({ label, quote }) => label !== '' || quote !== '')
    .map((one) => {
      before = one.label || before; // a quote without a label is of the article that was named last
      return { ...one, label: before };
    });
  const quotes = cited.filter(({ quote }) => quote !== '');
  const shown = new Set(quotes.map(({ label }) => label));
  const named = [...cited, ...sourcesOf(sources).map(({ label }) => ({ label, quote: '', supported: true }))].filter(({ label }) => {
    const isNew = !shown.has(label);
    shown.add(label);
    return isNew;
  });
  return [...quotes, ...named];
}
