import { redactSecrets } from '../errors/redact-secrets.ts';
import type { Json } from '../ports/json.ts';

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
  detectors.some(({ pattern, isValid }) => [...text.matchAll(pattern)].some(([found]) => isValid(found))) ||
  redactSecrets(text, []) !== text;

interface Detector {
  readonly pattern: RegExp;
  readonly isValid: (found: string) => boolean;
}

const digitsIn = (text: string): string => text.replaceAll(/\D/g, '');

// each pattern is bounded and anchored where a number starts, so every text takes linear time
const detectors: readonly Detector[] = [
  { pattern: /[\p{L}\p{N}_%+'-]@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu, isValid: () => true },
  { pattern: /(?<![\d-])\d{6}[ –-]{0,3}[1-8]\d{6}(?!\d)/g, isValid: isResidentNumber },
  { pattern: /(?<![\d.-])\d(?:[ .-]?\d){12,18}(?!\d)/g, isValid: isCard },
  { pattern: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])/g, isValid: isIban },
  { pattern: /(?<![\p{L}\d.+/=_-])\(?\+\d{1,3}\)?(?:[-. ]?\(?\d{1,4}\)?){2,6}(?!\d)/gu, isValid: isInternational },
  { pattern: /(?<![\d.+/=_-])\(?0\d{1,3}\)?[-. ]?\d{3,4}[-. ]?\d{4}(?![\d-])/g, isValid: isDomestic },
  { pattern: /(?<![\d.+/=_-])\(?[2-9]\d\d\)?[-. ] ?\d{3}[-. ]\d{4}(?![\d-])/g, isValid: () => true },
];

/** The date is valid and, for births before October 2020, the check digit of a citizen or of a foreigner. */
function isResidentNumber(found: string): boolean {
  const digits = digitsIn(found);
  const [month, day] = [Number(digits.slice(2, 4)), Number(digits.slice(4, 6))];
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const year = (/^\d{6}[1256]/.test(digits) ? 1900 : 2000) + Number(digits.slice(0, 2));
  if (year * 100 + month >= 202_010) return year < 2040;
  const sum = [...'234567892345'].reduce((total, weight, index) => total + Number(weight) * Number(digits[index]), 0);
  return [11, 13].some((base) => (base - (sum % 11)) % 10 === Number(digits[12]));
}

/** A card scheme's first digits, and the check digit of Luhn. */
function isCard(found: string): boolean {
  const digits = digitsIn(found);
  if (!/^(?:4|5[1-5]|2[2-7]|3[04-9]|6[0245]|9)/.test(digits) || /^(\d)\1+$/.test(digits)) return false;
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
  const isSeparated = /\d[-. )]\s?\d/.test(found);
  return isSeparated && /^0(?:2|[3-6][1-5]|70|50)/.test(digits) && digits.length >= 9 && digits.length <= 12;
}
