import type { WrittenDeadline } from './written-deadlines.ts';

/** Reasons why a time in a contract is no deadline with a date. */
export type DeadlineLimit = 'earliest' | 'forbidden' | 'alternative';

/** The rest of a clause: another verb or condition begins another one. */
const sameClause = String.raw`(?:(?!\b(?:but|shall|must|unless|if|without|except)\b)[^;])*$`;
const released = new RegExp(
  String.raw`(?:\bnot (?:be )?(?:required|obliged|obligated|bound) to|\bneed not|\b(?:no|any) (?:obligation|duty|need) to)\b${sameClause}`,
  'i',
);
const releasedKo =
  /^[^.;]{0,80}?(?:의무(?:가|는|를)?\s?(?:없|지지|부담하지)|(?:아니하여|않아|안\s?해)도\s?(?:된|좋|무방)|필요(?:가|는)?\s?없)/;
const forbidden = new RegExp(
  String.raw`\b(?:shall|may|must|will|can)(?:not|(?: \w+| in no event)? not|,[^,;]{0,40}, not)\b(?! (?:later|more|less|fewer) than)${sameClause}`,
  'i',
);
const forbiddenKo =
  /^(?:(?!면\s|면,|고\s|며\s|경우)[^.;])*?(?:지\s?(?:못한다|못하며|아니한다|않는다)|수\s?없|(?:아니|안)\s?(?:된다|됩니다))/;

/** True if the sentence frees its subject from acting by then. */
export const isReleased = (text: string, at: number, length: number): boolean =>
  released.test(text.slice(0, at)) || releasedKo.test(text.slice(at + length));

/** Returns why a time gets no date, although the sentence may state one. */
export function limitOf(text: string, { what, at, direction }: WrittenDeadline): DeadlineLimit | undefined {
  const [before, behind] = [text.slice(0, at), text.slice(at + what.length)];
  if (/\bwhichever\b|\bthe (?:later|earlier|latter|sooner) of\b|중\s?(?:먼저|나중|늦은|빠른|이른|늦게|빨리)/i.test(text))
    return 'alternative';
  const isAfter = direction === 'after';
  if (/\b(?:earlier|sooner) than\s*$/i.test(before)) return 'earliest';
  if (isAfter && /\b(?:at least|(?:no|not) less than|more than|only)\s*$/i.test(before)) return 'earliest';
  if (/^\s?(?:하기\s?)?(?:이?전에?는|이?전에?\s)[^.]{0,60}(?:못|없|아니|않)/.test(behind)) return 'earliest';
  if (isAfter && /(?:이후|후|뒤|지난|경과)$/.test(what) && /^[^.;]{0,60}수\s?있/.test(behind)) return 'earliest';
  return forbidden.test(before) || forbiddenKo.test(behind) ? 'forbidden' : undefined;
}
