const letters = 'abcdefghijklmnopqrstuvwxyz';
const syllables = '가나다라마바사아자차카타파하';
const consonants = 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ';
const circled = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';
const digits = '영일이삼사오육칠팔구';

/** Formats a list number. `format` has Word's names; an unknown one prints 1, 2, 3. */
export function printListNumber(number: number, format: string): string {
  const pick = (characters: string): string => [...characters][number - 1] ?? String(number);
  // aa follows z, then bb
  const repeat = (characters: string): string =>
    number < 1 || number > 780
      ? String(number)
      : (characters[(number - 1) % characters.length] ?? '').repeat(Math.ceil(number / characters.length));
  if (format === 'lowerLetter') return repeat(letters);
  if (format === 'upperLetter') return repeat(letters).toUpperCase();
  if (format === 'lowerRoman') return roman(number).toLowerCase();
  if (format === 'upperRoman') return roman(number);
  if (format === 'ganada') return repeat(syllables);
  if (format === 'chosung') return repeat(consonants);
  if (format.startsWith('decimalEnclosedCircle')) return pick(circled);
  if (format === 'decimalZero') return String(number).padStart(2, '0');
  if (format === 'koreanDigital') return [...String(number)].map((digit) => digits[Number(digit)]).join('');
  return String(number);
}

function roman(number: number): string {
  if (number < 1 || number > 3_999) return String(number);
  let rest = number;
  let text = '';
  // biome-ignore format: a table
  for (const [value, sign] of [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']] as const) {
    for (; rest >= value; rest -= value) text += sign;
  }
  return text;
}
