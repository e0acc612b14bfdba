const sign =
  /\n[ \t*_#>]{0,12}(?:(?:위와\s?같이|위\s(?:계약|사항|내용|합의)|(?:이|본)\s(?:계약|합의|약정|협약)(?:의\s(?:성립|체결|내용)|서|이\s|을\s)[^\n]{0,40}(?:증명|증하|확인|입증|기명|날인|서명))[^\n]{0,200}|(?:년[ \t]{1,20}월[ \t]{1,20}일|(?:\d{2,4}|_{2,20}|[ \t]{2,20}|20\s{0,12}|0{2,4})\s{0,8}[년.][ \t_]{0,12}\d{0,2}[ \t_0]{0,12}[월.][ \t_]{0,12}\d{0,2}[ \t_0]{0,12}[일.]?)[ \t*_]{0,12}(?=\n|$))/g;
const maxChars = 4_000;
/** English closings, at the start of a line or after a sentence. */
const closing =
  /(?:^|\n[ \t*_#>]{0,60}|[.;:,)\]"”][ \t]{1,8}| {2,8}|\t)((?:IN WITNESS (?:WHEREOF|THEREOF|HEREOF)|In Witness Whereof|In witness whereof|(?:The|THE) (?:parties|Parties|PARTIES|undersigned)(?: hereto| hereby)? (?:have|HAVE) (?:duly )?(?:executed|signed|EXECUTED)|(?:AGREED AND ACCEPTED|ACCEPTED AND AGREED|SIGNED|EXECUTED|Signed|Executed|Agreed and accepted)(?: by| BY|:| as | for | at | on )|(?:For|FOR) (?:and|AND) (?:on|ON) (?:behalf|BEHALF) (?:of|OF) |(?:WITNESS|Witness) (?:our|OUR|the|THE) (?:hands?|HANDS?)|(?:Dated|DATED) this \d{1,2}|This (?:Agreement|Lease|Contract) (?:has been|is|was) (?:duly )?(?:signed|executed)|\[?(?:SIGNATURE|Signature)S? (?:PAGE|Page|page)S?))/g;
const signedBy = /\n[ \t]{0,60}(?:By|BY|Signature|Signed)[ \t]{0,3}:/g;
const maxSignedChars = 3_000;
/** Minimum length of a signature. Saves the search below headings without text. */
const shortest = 6;

/** Returns the start of the signatures after the last article of a part, or `to` if there are none. */
export function signatureStart(folded: string, from: number, to: number): number {
  if (to - from < shortest) return to;
  const begin = Math.max(from, to - maxChars);
  for (const match of folded.slice(begin, to).matchAll(sign)) {
    const at = begin + match.index + 1;
    if (/\S/.test(folded.slice(from, at)) && !/\n[ \t*_]{0,8}[①-⑳]/.test(folded.slice(at, to))) return at;
  }
  return englishStart(folded, from, to) ?? to;
}

function englishStart(folded: string, from: number, to: number): number | undefined {
  const text = folded.slice(from, to);
  const closings = [...text.matchAll(closing)].map(({ 0: all, 1: words = '', index }) => index + all.length - words.length);
  const witness = closings.findLast((at) => /^in witness/i.test(text.slice(at, at + 10)));
  // each party may have a closing of its own: the first one begins the signatures
  const last = witness ?? closings.find((at) => text.length - at <= maxSignedChars);
  if (last !== undefined && last > 0) return from + Math.max(lineStartOf(text, last), 1);
  const [by] = [...text.matchAll(signedBy)].filter(({ index }) => text.length - index <= maxSignedChars);
  if (!by || !/\n[ \t]{0,60}(?:Name|NAME|Title|TITLE|Its|ITS)[ \t]{0,3}:/.test(text.slice(by.index))) return blockStart(text, from);
  const party = text.slice(0, by.index).trimEnd();
  const above = Math.max(party.lastIndexOf('\n\n') + 2, party.lastIndexOf('\n') + 1);
  return above > 1 && text.slice(0, above).trim() !== '' ? from + above : undefined;
}

/** Returns the start of the line, if only blanks precede the position. */
function lineStartOf(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return text.slice(start, at).trim() === '' ? start : at;
}

/** A line for a signature, or a signature that was filed: `____`, `/s/ Ann Lee`, `Signature: ____`. */
const signatureLine = /^[ \t]{0,60}(?:[xX][ \t]{0,3})?_{6,}[ \t]*(?:$|[([]|_|[ \t]{3,}_)|\/s\/[ \t]|\b(?:Signature|SIGNATURE)[ \t]{0,3}:/m;
const maxNameChars = 60;

/** Returns the start of signatures without closing words: short paragraphs at the end, one of them with a line for a signature. */
function blockStart(text: string, from: number): number | undefined {
  const paragraphs = [...text.matchAll(/(?:(?!\n[ \t]*\n)[\s\S])+/g)].filter(([all]) => all.trim() !== '');
  const isShort = (all: string): boolean =>
    all.split('\n').every((line) => line.trim().length <= 2 * maxNameChars && !/[a-z]{3}[.;]\s*$/.test(line));
  const first = paragraphs.findIndex(
    ({ 0: all }, index) => index > 0 && signatureLine.test(all) && paragraphs.slice(index).every(([each]) => isShort(each)),
  );
  if (first < 0) return undefined;
  // the names of the parties above the line
  const isName = (all: string): boolean =>
    !all.trim().includes('\n') && all.trim().length <= maxNameChars && /^\s*[A-Z][^.]*:?\s*$/.test(all);
  let begin = first;
  while (begin > 1 && isName(paragraphs[begin - 1]?.[0] ?? '')) begin--;
  const at = paragraphs[begin]?.index ?? 0;
  const start = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
  return from + start;
}
