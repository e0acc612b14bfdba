import type { ContractLine } from './contract-lines.ts';

/** `1. Cleaning`, `2) 대금` */
const item = /^(\d{1,2})\s?[.)]\s{0,8}\S/;
/** What leads to a list: `the following services:`, `다음과 같다.` */
const lead = /[:：]$|(?:다음|아래)(?:의)?\s?(?:과\s?같|각\s?호|와\s?같)[^.]{0,20}[.:]?$/;
/** What leads to the articles of the whole contract. */
const leadsToAll =
  /\b(?:agree[sd]?|covenants?|witnesseth|consideration|as follows|terms? and conditions|recitals?|whereas)\b|(?:체결|합의|약정|계약|협약)(?:을|를)?\s?(?:하|한|함|맺)|조건으로/i;
/** A longer line is no item of a list, but a paragraph of its own. */
const maxItemChars = 200;
const minItems = 2;

/** `근로시간`, `Payment terms`: words alone in a line that name what is numbered below. */
const name = /^[\p{L}][\p{L}\s·&/-]{1,29}$/u;
/** Below these, numbers begin anew as well, and may be articles. */
const partName = /^(?:exhibit|schedule|annex|appendix|attachment|part|chapter|별지|별첨|별표|붙임|첨부|부칙|특약|제\s?\d)/i;
const minNames = 2;

/**
 * The lines that are items of plain lists: numbers from 1 on in lines of their own, close together, below a line that leads to them, with
 * other text behind; or below several names, under each of which they begin anew. They number what stands above them, and are no articles.
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

/** The items that follow each other from a first one on: nothing but a blank line or the rest of an item may stand between two. */
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
