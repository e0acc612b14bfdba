import { searchTokens } from '../../core/text/search-tokens.ts';

/** Irregular English forms; each is reduced to the first of its group. */
const irregular = `
be am is are was were been|go goes going went gone|come came|buy bought|bring brought|think thought|teach taught|catch caught|fight fought|seek sought
see saw seen|say said|tell told|sell sold|find found|get got gotten|give gave given|take took taken|make made|know knew known|grow grew grown
throw threw thrown|fly flew flown|draw drew drawn|blow blew blown|drive drove driven|ride rode ridden|write wrote written|rise rose risen
speak spoke spoken|break broke broken|steal stole stolen|choose chose chosen|wake woke woken|freeze froze frozen|wear wore worn|tear tore torn
bear bore born|swear swore sworn|eat ate eaten|fall fell fallen|forget forgot forgotten|begin began begun|drink drank drunk|sing sang sung
swim swam swum|ring rang rung|run ran running|win won winning|sit sat sitting|hold held|lead led|feed fed|meet met|feel felt|keep kept|sleep slept
leave left|lose lost|build built|send sent|spend spent|lend lent|bend bent|mean meant|dream dreamt|learn learnt|burn burnt|pay paid|lay laid
hear heard|stand stood|understand understood|shoot shot|hide hid hidden|bite bit bitten|do does doing did done|have had has having|become became|stick stuck
hang hung|dig dug|sew sewn|show shown|beat beaten|swell swollen|shake shook shaken|mistake mistook mistaken|forgive forgave forgiven
child children kid|man men|woman women|person people|foot feet|tooth teeth|mouse mice|wife wives|life lives|knife knives|leaf leaves
good better best|bad worse worst|die died dead death|marry married marriage wedding|allergy allergic allergies|decide decision decided
choose choice|arrive arrival|depart departure|graduate graduation|born birth|apply application|move moving|grandma grandmother granny
grandpa grandfather|mum mom mother|dad father|photo picture photograph|doctor dr|tv television|phone telephone|fridge refrigerator
january jan|february feb|march mar|april apr|august aug|september sep sept|october oct|november nov|december dec
monday mon|tuesday tue tues|wednesday wed|thursday thu thurs|friday fri|saturday sat|sunday sun
0 zero|1 one once|2 two twice|3 three|4 four|5 five|6 six|7 seven|8 eight|9 nine|10 ten|11 eleven|12 twelve dozen|13 thirteen|14 fourteen|15 fifteen
16 sixteen|17 seventeen|18 eighteen|19 nineteen|20 twenty|30 thirty|40 forty|50 fifty|60 sixty|70 seventy|80 eighty|90 ninety|100 hundred
`;

const baseOf = new Map(
  irregular
    .trim()
    .split(/[|\n]/)
    .map((group) => group.split(' ').flatMap(searchTokens))
    .flatMap(([base = '', ...forms]) => forms.map((form) => [form, base] as const)),
);

/**
 * Tokens for searching spoken text: those of `searchTokens`, with one form for irregular English words (`went`, `go`), for numbers and for
 * names of months. Korean verbs lose their past (`다쳤어`, `다쳐서`). A Korean word of one syllable and an ending also yields that syllable.
 */
export function speechTokens(text: string): readonly string[] {
  const normal = text.normalize('NFKC');
  const tokens = searchTokens(normal.replace(hangulWord, foldWord)).map((token) => baseOf.get(token) ?? token.replace(ordinal, '$1'));
  for (const [word] of normal.matchAll(hangulWord)) {
    const stem = foldWord(word).replace(endings, '');
    if (stem.length === 1 && word.length > 1) tokens.push(stem);
  }
  return tokens;
}

const ordinal = /^(\d+)(?:st|nd|rd|th)$/;
const hangulWord = /[가-힣]+/g;
const endings =
  /(?<=.)(?:이었|이에요|예요|어요|아요|습니다|ㅂ니다|는데|은데|려고|러|으로|에서|에게|한테|부터|까지|이랑|랑|하고|이나|이야|이|가|은|는|을|를|의|에|로|와|과|도|만|야|어|아|지|다|니|나|냐|네|고|서|요|면|기|던|거든|대|래|자)+$/;

const first = 0xac00;
const vowel = { ae: 1, yeo: 6, wa: 9, wae: 10, oe: 11, wo: 14 } as const;
/** Maps a contracted vowel to the vowel of the stem. */
const contracted = new Map<number, number>([
  [vowel.yeo, 20],
  [vowel.wa, 8],
  [vowel.wae, vowel.oe],
  [vowel.wo, 13],
]);
const pastFinal = 20;

/** Undoes the contraction of a stem with a past or joined ending: `다쳤어`, `다쳐서` → `다치어`, `다치서`. */
function foldWord(word: string): string {
  let folded = '';
  for (const [i, syllable] of [...word].entries()) {
    if (/[었았였겠]/.test(syllable) && i > 0) continue;
    const code = syllable.charCodeAt(0) - first;
    const final = code % 28;
    const middle = Math.floor(code / 28) % 21;
    const initial = Math.floor(code / 588);
    const isPast = final === pastFinal && syllable !== '있';
    if (!isPast && (final !== 0 || i === 0 || initial === 11)) {
      folded += syllable;
      continue;
    }
    const isDo = middle === vowel.ae && initial === 18;
    const stem = isDo ? 0 : (contracted.get(middle) ?? middle);
    folded += String.fromCharCode(first + initial * 588 + stem * 28);
  }
  return folded;
}
