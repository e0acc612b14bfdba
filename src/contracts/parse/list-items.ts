import type { ContractLine } from './contract-lines.ts';

/** An item such as `1. Cleaning` or `2) 대금`. */
const item = /^(\d{1,2})\s?[.)]\s{0,8}\S/;
/** Text that introduces a list: `the following services:`, `다음과 같다.` */
const lead = /[:：]$|(?:다음|아래)(?:의)?\s?(?:과\s?같|각\s?호|와\s?같)[^.]{0,20}[.:]?$/;
/** Text that introduces the articles of the whole contract. */
const leadsToAll =
  /\b(?:agree[sd]?|covenants?|witnesseth|consideration|as follows|terms? and conditions|recitals?|whereas)\b|(?:체결|합의|약정|계약|협약)(?:을|를)?\s?(?:하|한|함|맺)|조건으로/i;
/** Longer lines are paragraphs, not list items. */
const maxItemChars = 200;
const minItems = 2;

/** Words alone on a line that name the list below, such as `근로시간` or `Payment terms`. */
const name = /^[\p{L}][\p{L}\s·&/-]{1,29}$/u;
/** Names of parts: numbers restart below these as well, and may be articles. */
const partName = /^(?:exhibit|schedule|annex|appendix|attachment|part|chapter|별지|별첨|별표|붙임|첨부|부칙|특약|제\s?\d)/i;
const minNames = 2;

/**
 * Returns the lines that are items of plain lists, not articles. A list counts from 1 on separate, close lines, below a line that
 * introduces it, and other text follows it. Numbers that restart below each of several names are lists as well.
 */
export function listItems(lines: readonly ContractLine[]): ReadonlySet<number> {
  const items: number[] = [];
  const named: (readonly number[])[] = [];
  const last = lines.findLastIndex(({ kind }) => kind === 'text');
  for (let i = 0; i < lines.length; i++) {
    if (numberOf(lines[i]) !== 1) continue;
    const run = runFrom(lines, i);
    const end = run.at(-1) ?? i;
    if (run.length < minItems) continue;
    const above = lines[i - 1]?.kind === 'blank' ? lines[i - 2] : lines[i - 1];
    if (isLead(above) && end < last) items.push(...run);
    else if (lines[i - 1] === above && isName(above)) named.push(run);
    else continue;
    i = end;
  }
  return new Set(named.length >= minNames ? [...items, ...named.flat()] : items);
}

const numberOf = (line: ContractLine | undefined): number =>
  line?.kind === 'text' && line.hashes === 0 && !line.bold ? Number(item.exec(line.core)?.[1] ?? 0) : 0;

const isLead = (line: ContractLine | undefined): boolean =>
  line?.kind === 'text' && lead.test(line.core.trimEnd()) && !leadsToAll.test(line.core);

const isName = (line: ContractLine | undefined): boolean => line?.kind === 'text' && name.test(line.core) && !partName.test(line.core);

/** Returns the consecutive items from a first one on. Only a blank line or the rest of an item may come between two items. */
function runFrom(lines: readonly ContractLine[], first: number): readonly number[] {
  const run = [first];
  for (let at = first + 1; at < lines.length; at++) {
    const line = lines[at];
    if (line?.kind === 'blank') {
      if (lines[at + 1]?.kind === 'blank') break;
    } else if (numberOf(line) === run.length + 1 && (line?.core.length ?? 0) <= maxItemChars) run.push(at);
    else if (lines[at - 1]?.kind === 'blank' || !/^[a-z(]/.test(line?.core ?? '')) break;
  }
  return run;
}
