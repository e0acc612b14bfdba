import { redactSecrets } from '../errors/redact-secrets.ts';
import type { Json } from '../ports/json.ts';

/** Kinds of personal data that a pattern can find. Names and addresses of people are none. */
export type PersonalDataKind = (typeof personalDataKinds)[number];

export const personalDataKinds = ['email', 'phone', 'resident-number', 'business-number', 'card', 'iban'] as const;

/** Place of personal data in a text. */
export interface PersonalDataFinding {
  readonly kind: PersonalDataKind;
  readonly start: number;
  readonly end: number;
}

/**
 * True if a text or number in the value holds personal data or a secret: an e-mail address, a phone number, a card or Korean resident
 * number, an IBAN, or a match of `redactSecrets`. Names and addresses of people are not detected.
 */
export function holdsPersonalData(value: Json): boolean {
  if (typeof value === 'string') return isPersonal(value);
  if (typeof value === 'number') return isPersonal(String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.some(holdsPersonalData) : Object.entries(value).some((pair) => pair.some(holdsPersonalData));
}

const isPersonal = (text: string): boolean =>
  findPersonalData(text).some(({ kind }) => kind !== 'business-number') || redactSecrets(text, []) !== text;

/** Finds personal data in a text, in order and without overlaps. Takes linear time. */
export function findPersonalData(text: string, kinds?: ReadonlySet<PersonalDataKind>): readonly PersonalDataFinding[] {
  const found = detectors
    .filter(({ kind, hint }) => (kinds?.has(kind) ?? true) && hint.test(text))
    .flatMap((detector) => findKind(text, detector))
    .sort((a, b) => a.start - b.start); // stable: at one place the earlier detector wins
  return withoutOverlaps(found);
}

/** Leaves out every place that begins before the end of an earlier one. The places are in order of their starts. */
export function withoutOverlaps<T extends Pick<PersonalDataFinding, 'start' | 'end'>>(places: readonly T[]): readonly T[] {
  let end = 0;
  return places.filter((one) => {
    if (one.start < end) return false;
    end = one.end;
    return true;
  });
}

function findKind(text: string, { kind, pattern, isValid }: Detector): readonly PersonalDataFinding[] {
  const found: PersonalDataFinding[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { index, 0: whole } = match;
    const value = prefixesOf(whole).map(withoutHalfBrackets).find(isValid);
    const start = value === undefined ? -1 : index + whole.indexOf(value);
    if (value !== undefined) found.push({ kind, start, end: start + value.length });
    // a number in front of a card may have hidden its beginning
    const first = /^[^\s.-]+/.exec(whole)?.[0].length ?? 1;
    pattern.lastIndex = value === undefined ? index + first : start + value.length;
  }
  return found;
}

/** The match, and what is left of it without its last groups: a word or a date may follow a number. */
function prefixesOf(match: string): readonly string[] {
  const ends = [...match.matchAll(/[ .-]+/g)].map(({ index }) => index).reverse();
  return [match, ...ends.map((end) => match.slice(0, end))];
}

/** Brackets around a number are no part of it, and neither is half of a pair, as in `(+82 10 1234 5678)`. */
function withoutHalfBrackets(match: string): string {
  let open: number[] = [];
  for (let at = 0; at < match.length; at++) {
    if (match[at] === '(') open = [...open, at];
    if (match[at] !== ')') continue;
    const begin = open.at(-1);
    if (begin === undefined && at === match.length - 1) return match.slice(0, at);
    if (begin === 0 && at === match.length - 1) return withoutHalfBrackets(match.slice(1, -1));
    open = open.slice(0, -1);
  }
  return open[0] === 0 ? withoutHalfBrackets(match.slice(1)) : match;
}

interface Detector {
  readonly kind: PersonalDataKind;
  /** Cheap condition of a match. */
  readonly hint: RegExp;
  readonly pattern: RegExp;
  readonly isValid: (found: string) => boolean;
}

const digitsIn = (text: string): string => text.replaceAll(/\D/g, '');
const twoDigits = /\d{2}/;

// each pattern is bounded and anchored where a number starts, so every text takes linear time
const detectors: readonly Detector[] = [
  {
    kind: 'email',
    hint: /@/,
    // a word in front that is written in another script is no part of the address
    pattern:
      /(?:(?<![\p{Script=Latin}\p{N}_%+-])[\p{Script=Latin}\p{N}_][\p{Script=Latin}\p{N}_%+'.-]{0,63}|(?<=[\p{Script=Latin}\p{N}_%+'.-])[\p{Script=Latin}\p{N}_%+'-]|(?:(?!\p{Script=Latin})\p{L}){1,64})@(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:\p{Script=Latin}{2,24}|[\uac00-\ud7a3]{2}|(?:(?![\p{Script=Latin}\uac00-\ud7a3])\p{L}){2,24})/gu,
    isValid: () => true,
  },
  { kind: 'resident-number', hint: twoDigits, pattern: /(?<![\d-])\d{6}[ –-]{0,3}[1-8]\d{6}(?!\d)/g, isValid: isResidentNumber },
  { kind: 'card', hint: twoDigits, pattern: /(?<![\d.-])\d(?:[ .-]?\d){12,18}(?!\d)/g, isValid: isCard },
  {
    kind: 'iban',
    hint: /[A-Za-z]{2}\d{2}/,
    pattern: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])/g,
    isValid: isIban,
  },
  {
    kind: 'phone',
    hint: /\+\d/,
    pattern: /(?<![\p{L}\d.+/=_-])\(?\+\d{1,3}\)?(?:[-. ]?\(?\d{1,4}\)?){2,6}(?!\d)/gu,
    isValid: isInternational,
  },
  {
    kind: 'phone',
    hint: twoDigits,
    pattern: /(?<![\d.+/=_-])\(?0\d{1,3}\)?[-. ]?\d{3,4}[-. ]?\d{4}(?![\d-])/g,
    isValid: isDomestic,
  },
  { kind: 'phone', hint: twoDigits, pattern: /(?<![\d.+/=_-])\(?[2-9]\d\d\)?[-. ] ?\d{3}[-. ]\d{4}(?![\d-])/g, isValid: () => true },
  { kind: 'business-number', hint: twoDigits, pattern: /(?<![\d.+/=_-])\d{3}-\d{2}-\d{5}(?![\d-])/g, isValid: isBusinessNumber },
];

/** The date is valid and, for births before October 2020, the check digit of a citizen or of a foreigner. */
function isResidentNumber(found: string): boolean {
  const digits = digitsIn(found);
  const [month, day] = [Number(digits.slice(2, 4)), Number(digits.slice(4, 6))];
  if (digits.length !== 13 || month < 1 || month > 12 || day < 1 || day > 31) return false;
  const year = (/^\d{6}[1256]/.test(digits) ? 1900 : 2000) + Number(digits.slice(0, 2));
  if (year * 100 + month >= 202_010) return year <= 2030;
  const sum = [...'234567892345'].reduce((total, weight, index) => total + Number(weight) * Number(digits[index]), 0);
  return [11, 13].some((base) => (base - (sum % 11)) % 10 === Number(digits[12]));
}

/** Prefixes of the card schemes, with the lengths of their numbers. */
const schemes =
  /^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6(?:011|2\d\d|4\d\d|5\d\d)\d{12,15}|94\d{14})$/;

/** A scheme, and the check digit of Luhn. */
function isCard(found: string): boolean {
  const digits = digitsIn(found);
  if (!schemes.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const twice = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (twice > 9 ? twice - 9 : twice);
  }, 0);
  return sum % 10 === 0;
}

/** ISO 13616: the number, with its first four characters behind the others, is 1 modulo 97. */
function isIban(found: string): boolean {
  const text = found.replaceAll(/[ -]/g, '').toUpperCase();
  const values = [...text.slice(4), ...text.slice(0, 4)].map((character) => Number.parseInt(character, 36));
  return text.length >= 15 && values.reduce((rest, value) => (value > 9 ? rest * 100 + value : rest * 10 + value) % 97, 0) === 1;
}

function isInternational(found: string): boolean {
  const { length } = digitsIn(found);
  return length >= 9 && length <= 15;
}

/** Korean mobile numbers in any form; landlines and service numbers with a separator. */
function isDomestic(found: string): boolean {
  const digits = digitsIn(found);
  if (/^01[016-9]/.test(digits)) return digits.length >= 10 && digits.length <= 11;
  return /^\(?0(?:2|[3-6][1-5]|70|50\d?)(?:\) ?|[-. ])/.test(found) && digits.length >= 9 && digits.length <= 12;
}

/** Check digit of a Korean business number. */
function isBusinessNumber(found: string): boolean {
  const each = [...digitsIn(found)].map(Number);
  const sum = [1, 3, 7, 1, 3, 7, 1, 3, 5].reduce((total, weight, index) => total + weight * (each[index] ?? 0), 0);
  return (10 - ((sum + Math.floor(((each[8] ?? 0) * 5) / 10)) % 10)) % 10 === each[9];
}
