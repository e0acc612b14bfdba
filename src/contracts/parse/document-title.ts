import type { ContractLine } from './contract-lines.ts';
import { wordsOf } from './heading.ts';

const named = /^(?:제목|title)[ \t]*:[ \t]*(.{1,200})$/i;
const maxChars = 80;
/** The heading of a part, not of the document. */
const partHeading =
  /^(?:\||제\s{0,3}\d{1,5}\s{0,3}[조장절편관]|부\s{0,6}칙|[[<【(]?\s?(?:별지|별표|별첨|붙임|첨부|부록)|(?:article|section|clause|chapter|part|exhibit|schedule|annex|appendix|attachment|addend|supplementary)\b|§|\d{1,3}[.)]|목\s*차|차\s*례|(?:table of )?contents)/i;

/** Returns the document's own title: from its header, its first heading, or a short first line. Otherwise returns the file name. */
export function titleOf(name: string, text: string, lines: readonly ContractLine[], end: number): string {
  let first: string | undefined;
  for (const line of lines) {
    if (line.start >= end) break;
    if (line.kind === 'matter') {
      const found = named
        .exec(text.slice(line.start, line.end))?.[1]
        ?.replace(/^(["'])(.*)\1$/, '$2')
        .trim();
      if (found && !partHeading.test(found) && /[\p{L}\p{N}]/u.test(found)) return found;
    }
    if (line.kind !== 'text') continue;
    const words = wordsOf(text, line.coreStart, line.coreStart + line.core.length);
    if (partHeading.test(words) || !/[\p{L}\p{N}]/u.test(words)) continue;
    if (line.hashes === 1) return words;
    if (words !== '') first ??= line.end - line.start <= maxChars && !/[.다:,]$/.test(words) ? words : '';
  }
  return first || (name.split(/[\\/]/).at(-1) ?? name).replace(/\.[^.]{1,8}$/, '');
}
