const cjk = '[\\p{sc=Hangul}\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー]';
const runs = new RegExp(`(${cjk}+)|[[\\p{L}\\p{M}\\p{N}]--${cjk}]+`, 'gv');

/**
 * Splits a text into tokens for search and summaries. Hangul and other CJK runs become pairs of characters, so that Korean needs no list of
 * particles. Any other run of letters and digits is one word, in English without its ending.
 *
 * @example searchTokens('체크포인트를 Stored twice') // ['체크', '크포', '포인', '인트', '트를', 'stor', 'twic']
 */
export function searchTokens(text: string): string[] {
  const tokens: string[] = [];
  for (const [run, pairs] of text.normalize('NFKC').toLowerCase().matchAll(runs)) {
    if (pairs === undefined) tokens.push(stem(run));
    else addPairs(pairs, tokens);
  }
  return tokens;
}

function addPairs(run: string, tokens: string[]): void {
  let before = '';
  for (const character of run) {
    if (before !== '') tokens.push(before + character);
    before = character;
  }
  if (before === run) tokens.push(run);
}

/**
 * One spelling for the forms of an English word: `crashes`, `crashed`, `crashing` give `crash`. Three letters always remain.
 * A last `e`, `y` and doubled letter change too, or `cached` would not meet `cache`, `retries` `retry`, nor `planned` `plan`.
 */
function stem(word: string): string {
  if (word.length < 4 || word.length > 40 || !/^[a-z]+$/.test(word)) return word;
  let stem = word;
  if (stem.endsWith('s') && !stem.endsWith('ss') && !stem.endsWith('us')) stem = without(stem, 1);
  const ending = stem.endsWith('ing') ? 3 : stem.endsWith('ed') && !stem.endsWith('eed') ? 2 : 0;
  if (ending > 0 && /[aeiouy]/.test(stem.slice(0, -ending))) stem = without(stem, ending);
  if (stem.endsWith('e')) stem = without(stem, 1);
  if (stem.endsWith('y') && stem.length > 3) stem = `${stem.slice(0, -1)}i`;
  return stem.at(-1) === stem.at(-2) ? without(stem, 1) : stem;
}

const without = (word: string, letters: number): string => (word.length - letters >= 3 ? word.slice(0, -letters) : word);
