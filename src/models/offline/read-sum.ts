import { hasOtherDigits } from '../../core/arithmetic/find-expression.ts';
import { foldSums, type MarkedText } from './fold-sums.ts';
import { joinedSentences } from './joined-sentences.ts';
import { type Amount, type AmountText, readAmounts } from './read-amounts.ts';
import { type SentencePattern, sentencePattern } from './sentence-pattern.ts';
import {
  atom,
  difference,
  extreme,
  factorial,
  isCounted,
  isPercent,
  join,
  mean,
  type Operand,
  plain,
  scale,
  series,
  singular,
  total,
  wrap,
} from './sum-operand.ts';

/** A sum that a sentence asks for in words. */
export interface Sum {
  /** Expression for the tool `calculator`. */
  readonly expression: string;
  /** Unit of the result, for example `원` or `days`; '' for a plain number with grouped digits. Absent for neither. */
  readonly unit?: string;
}

/** The result that a follow-up refers to: `거기에 2를 곱하면?`, `and half of that?` */
export interface EarlierResult {
  readonly digits: string;
  readonly unit: string;
}

type Read = (operands: readonly Operand[], text: readonly (string | undefined)[]) => Operand | undefined;

const n = '⟨(\\d+)⟩';
const koreanEnd =
  '(?:\\s?(?:은|는|이|가|을|를|하면|면|값은?|값이|결과는?|답은?|이면|다면))?(?:\\s?(?:얼마(?:야|지|예요|에요|인가요|인지|일까|가|나|죠)?(?:\\s?돼|\\s?되나요?|\\s?될까)?|몇(?:이야|이지|인가요|일까|이에요|이죠|이나)?|뭐(?:야|지|예요)?|뭔가요|돼|되나요?|될까요?|어떻게 (?:돼|되나요?|될까)))?(?:\\s?(?:이야|야|지|좀|다|한번|빨리|계산|구|알려|말|가르쳐|해|해서|줘|줘요|주세요|줄래|봐|볼래|해줘|해주세요|해봐|해줄래|부탁해|부탁|알려줘|알려주세요|말해줘|계산해|계산해줘|계산해주세요|계산하면|계산해봐|구해줘|구해|한 값|요))*';

/** Words that may not come before a sum, because they name a calculation. Other words may: `한`, `the`, a counted noun. */
const calculates =
  '루트|제곱|세제곱|거듭|마이너스|플러스|음수|음의|반올림|올림|내림|버림|소수|정수|절댓?대?값|자연?로그|로그|사인|코사인|탄젠트|역수|분수|[가-힣]{0,3}진수|이진|절반|반의|두배|배|몫|나머지|팩토리얼|평균|합|곱|차|최|각도|벡터|약수|배수|대신|말고|거꾸로|반대';
const koreanLabel = `(?:(?:그럼|그러면|혹시|그리고|자|음|근데|그런데|내|제|우리|총|전부|모두|(?!${calculates})[가-힣]{1,12}(?:은|는|이|가|를|을)?)\\s){0,3}`;
const englishStart =
  "(?:(?:so|and|then|now|ok|okay|hey|hi|please|um|well|what|whats|what's|what’s|is|are|be|would|how|much|many|calculate|compute|find|tell|give|me|solve|work|out|can|could|you|the|value|result|answer|to|of|do|does|if|i|we|make|makes|equals?|a|get|when)\\s)*";
const englishEnd =
  '(?:\\s?(?:please|equals?|equal to|is|are|what|make|makes|be|for me|in total|total|altogether|each|per person|do (?:i|we|you) get|does (?:each|everyone) get|now|thanks?))*';

const operators: Readonly<Record<string, string>> = {
  더하기: '+',
  플러스: '+',
  빼기: '-',
  마이너스: '-',
  곱하기: '*',
  나누기: '/',
  plus: '+',
  and: '+',
  minus: '-',
  less: '-',
  times: '*',
  x: '*',
  'multiplied by': '*',
  'divided by': '/',
  over: '/',
  mod: '%',
  modulo: '%',
  'to the power of': '^',
  'raised to the power of': '^',
  'raised to': '^',
  '+': '+',
  '-': '-',
  '−': '-',
  '*': '*',
  '×': '*',
  '/': '/',
  '÷': '/',
  '^': '^',
};
const { and: _, ...infixSigns } = operators;
const typedSigns = { ...Object.fromEntries(Object.entries(infixSigns).filter(([sign]) => !/\p{L}/u.test(sign))) };
const infix =
  '더하기|플러스|빼기|마이너스|곱하기|나누기|plus|minus|less|times|multiplied by|divided by|over|modulo|mod|raised to the power of|raised to|to the power of|[-−+*×/÷^x]';

const signOfVerb = (verb = ''): string | undefined =>
  ({
    더하: '+',
    더해: '+',
    더한: '+',
    합하: '+',
    합친: '+',
    합치: '+',
    빼: '-',
    뺀: '-',
    곱하: '*',
    곱해: '*',
    곱한: '*',
    나누: '/',
    나눠: '/',
    나눈: '/',
  })[verb.slice(0, 2)] ?? ({ 빼: '-', 뺀: '-' } as Readonly<Record<string, string>>)[verb.slice(0, 1)];
const verb = '(더하|더해|더한|합하|합친|합치|빼|뺀|곱하|곱해|곱한|나누|나눠|나눈)(?:면|고|서|기|은|는|)?';

const maxTerms = 20;
const all = (list: string): string =>
  `(${list}(?:(?:\\s?,\\s?|\\s)(?:(?:and|그리고|와|과|하고|랑|이랑)\\s)?${list}|\\s?(?:와|과|하고|랑|이랑)\\s?${list})+)`;
const numbers = all('⟨\\d+⟩');

/** Patterns of whole sentences, with their sums. The groups are the numbers, and other text in brackets. */
const patterns: readonly (readonly [language: 'ko' | 'en', sentence: string, read: Read])[] = [
  ['ko', `${n}\\s?(?:의)?\\s?제곱`, ([a]) => join(a, '^', plain('2'))],
  ['ko', `${n}\\s?(?:의)?\\s?세제곱`, ([a]) => join(a, '^', plain('3'))],
  ['ko', `${n}\\s?(?:의)?\\s?${n}\\s?(?:승|제곱|거듭제곱)`, ([a, b]) => join(a, '^', b)],
  ['ko', `${n}\\s?(?:의)?\\s?제곱근|(?:루트|제곱근)\\s?${n}`, ([a]) => a && wrap('sqrt', a)],
  ['ko', `${n}\\s?(?:의)?\\s?세제곱근`, ([a]) => a && wrap('cbrt', a)],
  ['ko', `${n}\\s?(?:의)?\\s?팩토리얼|${n}\\s?!`, ([a]) => factorial(a)],
  ['ko', `${n}\\s?(?:의|에서|중에|중)?\\s?${n}`, ([a, b]) => (a && b && isPercent(b) && !isPercent(a) ? join(a, '*', b) : undefined)],
  [
    'ko',
    `${n}\\s?(?:에서|에|의|을|를)?\\s?${n}\\s?(?:을|를)?\\s?(할인|세일|깎|빼|내리|감소|줄|인하|더하|인상|오르|추가|증가|늘|붙이|올리|포함)(?:하면|한|해서|으면|되면|된|면|이면|받으면|아|인|기|\\s가격|\\s금액|받은)*(?:\\s?(?:가격|금액))?`,
    ([a, b], [word = '']) => (b && isPercent(b) ? join(a, /할인|세일|깎|빼|내리|감소|줄|인하/.test(word) ? '-' : '+', b) : undefined),
  ],
  [
    'ko',
    `${n}\\s?(?:을|를)?\\s?${n}\\s?(?:이|이서|에게|한테|끼리|으로|로)?\\s?(?:똑같이\\s)?(?:나누|나눠|나누어|갈라|더치페이|엔빵|n빵)(?:면|\\s?가지면|\\s?내면|\\s?갖으면|하면|서)*`,
    ([a, b]) => join(a, '/', b),
  ],
  ['ko', `${n}\\s?(?:을|를)?\\s?${n}\\s?(?:으로|로)\\s?나눈\\s나머지`, ([a, b]) => join(a, '%', b)],
  [
    'ko',
    `${n}\\s?(?:을|를)?\\s?${n}\\s?(?:으로|로)\\s?나눈\\s몫`,
    ([a, b]) => {
      const q = join(a, '/', b);
      return q && { ...q, expression: `trunc(${q.expression})` };
    },
  ],
  ['ko', `${n}\\s?(?:의|에)?\\s?(?:절반|반)`, ([a]) => scale(a, '/2')],
  [
    'ko',
    `${n}\\s?(?:이서|끼리|이)?\\s?${n}\\s?(?:을|를)?\\s?(?:똑같이\\s)?(?:나누|나눠|나누어|더치페이|엔빵|n빵)(?:면|\\s?가지면|\\s?내면|하면|서)*`,
    ([a, b]) => (a && isCounted(a) ? join(b, '/', a) : undefined),
  ],
  ['ko', `${n}\\s?의\\s?${n}\\s?배`, ([a, b]) => (b?.unit === '' ? join(a, '*', b) : undefined)],
  [
    'ko',
    `${n}\\s?의\\s?${n}\\s?의\\s?${n}`,
    ([a, b, c]) =>
      a && b?.unit === '분' && c?.unit === '' && /^\d+$/.test(b.expression + c.expression)
        ? scale(a, `*${c.expression}/${b.expression}`)
        : undefined,
  ],
  [
    'ko',
    `${n}\\s?부터\\s?${n}\\s?까지(?:의|\\s?모두|\\s?다|\\s?전부|\\s?모든|\\s?자연수|\\s?정수|\\s?숫자|\\s?수)*(?:의|를|을)?\\s?(?:합|더하면|더한|합하면|더해|총합|합계)`,
    ([a, b]) => series(a, b),
  ],
  ['ko', `${numbers}\\s?(?:의)?\\s?(?:평균|평균값)`, (operands) => mean(operands)],
  [
    'ko',
    `${numbers}\\s?(?:의|을|를|은)?\\s?(?:모두|다|전부)?\\s?(?:합|합계|총합|더하면|더한|합하면|합치면|더해)`,
    (operands) => total(operands),
  ],
  ['ko', `${numbers}\\s?(?:의|을|를|은)?\\s?(?:곱|곱하면|곱한)`, ([a, b, ...more]) => (more.length === 0 ? join(a, '*', b) : undefined)],
  ['ko', `${numbers}\\s?(?:의)?\\s?차`, ([a, b, ...more]) => (more.length === 0 ? difference(a, b) : undefined)],
  [
    'ko',
    `${numbers}\\s?(?:중|중에|중에서|가운데)?\\s?(?:가장|제일)?\\s?(?:큰 수|큰 값|큰 것|큰 건|최댓값|최대값)`,
    (operands) => extreme('max', operands),
  ],
  [
    'ko',
    `${numbers}\\s?(?:중|중에|중에서|가운데)?\\s?(?:가장|제일)?\\s?(?:작은 수|작은 값|작은 것|작은 건|최솟값|최소값)`,
    (operands) => extreme('min', operands),
  ],
  ['en', `${n} squared|(?:the )?square of ${n}`, ([a]) => join(a, '^', plain('2'))],
  ['en', `${n} cubed|(?:the )?cube of ${n}`, ([a]) => join(a, '^', plain('3'))],
  ['en', `(?:the )?(?:square root|sqrt|root) (?:of )?${n}`, ([a]) => a && wrap('sqrt', a)],
  ['en', `(?:the )?cube root of ${n}`, ([a]) => a && wrap('cbrt', a)],
  ['en', `${n}(?: factorial|\\s?!)|(?:the )?factorial of ${n}`, ([a]) => factorial(a)],
  [
    'en',
    `${n} (?:of|from|on|tip on|tip for|tax on|vat on) (?:my |the |a )?${n}(?: bill)?`,
    ([a, b]) => (a && b && isPercent(a) && !isPercent(b) ? join(b, '*', a) : undefined),
  ],
  ['en', `${n} (?:off|discount on|off of|discount off) (?:of )?${n}`, ([a, b]) => (a && isPercent(a) ? join(b, '-', a) : undefined)],
  ['en', `${n} (?:with|after|minus|less|at) (?:a )?${n}(?: off| discount)`, ([a, b]) => (b && isPercent(b) ? join(a, '-', b) : undefined)],
  ['en', `add(?: up)? ${n} (?:and|to|with) ${n}|(?:the )?sum of ${n} and ${n}|${n} added to ${n}`, ([a, b]) => join(a, '+', b)],
  ['en', `subtract ${n} from ${n}|take ${n} (?:away )?from ${n}|${n} subtracted from ${n}`, ([a, b]) => join(b, '-', a)],
  ['en', `(?:the )?difference (?:between|of) ${n} and ${n}`, ([a, b]) => difference(a, b)],
  ['en', `(?:multiply|times) ${n} (?:by|and|with) ${n}|(?:the )?product of ${n} and ${n}`, ([a, b]) => join(a, '*', b)],
  [
    'en',
    `divide ${n} by ${n}|(?:split|share|divide) ${n} (?:equally )?(?:between|among|by|amongst|with|into) ${n}(?: ways| of us)?`,
    ([a, b]) => join(a, '/', b),
  ],
  ['en', `(?:the )?remainder (?:of|when) ${n} (?:is )?divided by ${n}|${n} mod(?:ulo)? ${n}`, ([a, b]) => join(a, '%', b)],
  ['en', `(?:a )?half (?:of )?${n}|halve ${n}`, ([a]) => scale(a, '/2')],
  [
    'en',
    `(double|twice|triple|a third of|one third of|a quarter of|one quarter of|two thirds of|three quarters of) ${n}`,
    ([a], [word = '']) => scale(a, parts[word.replace(/^one /, 'a ')] ?? ''),
  ],
  [
    'en',
    `${n}\\s?/\\s?${n} of ${n}`,
    ([a, b, c]) => (a?.unit === '' && b?.unit === '' ? scale(c, `*${a.expression}/${b.expression}`) : undefined),
  ],
  [
    'en',
    `(?:the )?(?:sum of |add (?:up )?)(?:all )?(?:the )?(?:whole |natural )?(?:numbers |integers )?(?:from )?${n} (?:to|through) ${n}`,
    ([a, b]) => series(a, b),
  ],
  ['en', `(?:the )?(?:average|mean) (?:of )?${numbers}`, (operands) => mean(operands)],
  ['en', `(?:(?:the )?(?:sum|total) of|add(?: up)?) ${numbers}`, (operands) => total(operands)],
  ['en', `(?:the )?(?:largest|biggest|maximum|max|greatest) of ${numbers}`, (operands) => extreme('max', operands)],
  ['en', `(?:the )?(?:smallest|minimum|min|least) of ${numbers}`, (operands) => extreme('min', operands)],
];
const parts: Readonly<Record<string, string>> = {
  double: '*2',
  twice: '*2',
  triple: '*3',
  'a third of': '/3',
  'a quarter of': '/4',
  'two thirds of': '*2/3',
  'three quarters of': '*3/4',
};

// the text is in lower case
const sentenceOf = (start: string, middle: string, end: string): SentencePattern =>
  sentencePattern(middle, `^${start}(?:${middle})${end}$`, 'u');
const sentences = patterns.map(([language, middle, read]) => ({
  read,
  whole: language === 'ko' ? sentenceOf(koreanLabel, middle, koreanEnd) : sentenceOf(englishStart, middle, englishEnd),
}));

const maxChars = 200;
/** A date or a telephone number. */
const dashed = /\d[-−.]\d+[-−.]\d/u;

/**
 * Reads the sum that a sentence asks for. Returns `undefined` unless it understands the whole sentence.
 *
 * @param earlier the result that `거기에` and `that` refer to, if there is one
 * @example readSum('30만원의 15%는?') // { expression: '300000*15/100', unit: '원' }
 */
export function readSum(sentence: string, earlier?: EarlierResult): Sum | undefined {
  if (sentence.length > maxChars || dashed.test(sentence) || hasOtherDigits(sentence)) return undefined;
  const plainText = sentence
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\d)\s?x\s?(?=\d)(?<!\b0x)/gu, '*')
    .replace(/[?.!~ㅋㅎㅠㅜ=;^\s]+$/u, '')
    .trim();
  const read = readAmounts(plainText);
  if (!read || read.amounts.length > maxTerms) return undefined;
  const operand = (earlier && readContinuation(read, earlier)) ?? readWhole(read);
  return operand && toSum(operand);
}

function readWhole(read: AmountText): Operand | undefined {
  const { text, amounts } = inTextOrder(read);
  const marked = { text, operands: amounts.map(toOperand) };
  return readPhrase(marked) ?? readInOrder(marked) ?? readFolded(marked) ?? readVerbs(marked);
}

/** The text between these two words is the whole operand: `divide 12+30 by 6`. */
const between = /\b(?:divide|multiply|subtract)\s⟨\d+⟩\s(?:by|from)\s/u;

/** Reads a sentence with its typed sums as single numbers, if it surely means all of each. */
function readFolded(marked: MarkedText): Operand | undefined {
  const folded = foldSums(marked, typedSigns);
  const { text: before, operands } = folded ?? marked;
  const text = joinedSentences(before);
  if (!folded && text === marked.text) return undefined;
  const isJoined = text !== before;
  if (isJoined || folded?.holds !== 'sum' || between.test(text)) {
    const found = readPhrase({ text, operands }) ?? readInOrder({ text, operands });
    // the square of 2*3 may mean the square of 3
    if (found && (isJoined || folded?.holds === 'brackets' || !/\^|sqrt|cbrt/.test(found.expression))) return found;
  }
  return operands.length === 1 && alone.exec(text) ? operands[0] : readOneByOne({ text, operands });
}

/** Reads operations that each apply to the previous result, in signs or in words. */
function readVerbs(marked: MarkedText): Operand | undefined {
  const { text, operands } = foldSums(marked, infixSigns) ?? marked;
  return readOneByOne({ text: joinedSentences(text), operands });
}

function readPhrase({ text, operands }: MarkedText): Operand | undefined {
  for (const { read, whole } of sentences) {
    const found = whole.exec(text);
    if (!found) continue;
    const inText = [...found[0].matchAll(/⟨(\d+)⟩/g)].flatMap(([, index]) => operands[Number(index)] ?? []);
    if (inText.length !== operands.length) continue;
    const operand = read(
      inText,
      found.slice(1).filter((group) => group !== undefined && !/^\d+$/.test(group)),
    );
    if (operand) return operand;
  }
  return undefined;
}

function inTextOrder({ text, amounts }: AmountText): AmountText {
  const order: number[] = [];
  const renumbered = text.replace(/⟨(\d+)⟩/g, (_, index) => `⟨${order.push(Number(index)) - 1}⟩`);
  return { text: renumbered, amounts: order.flatMap((index) => amounts[index] ?? []) };
}

const toOperand = ({ digits, unit, grouped }: Amount): Operand => ({ expression: digits, unit, grouped });

const infixChain = sentenceOf(
  `(?:${koreanLabel}|${englishStart})`,
  `${n}((?:\\s?(?:${infix})\\s?⟨\\d+⟩)+)`,
  `(?:${koreanEnd}|${englishEnd})`,
);
/** A typed sum without other words. */
const alone = sentenceOf(`(?:${koreanLabel}|${englishStart})`, n, `(?:${koreanEnd}|${englishEnd})`);
const infixLink = new RegExp(`(${infix})\\s?${n}`, 'gu');
const englishVerbs: Readonly<Record<string, string>> = {
  add: '+',
  plus: '+',
  subtract: '-',
  minus: '-',
  times: '*',
  'multiply by': '*',
  'multiplied by': '*',
  'divide by': '/',
  'divided by': '/',
};
const englishVerb = '(add|plus|subtract|minus|times|multiply (?:it |that )?by|multiplied by|divide (?:it |that )?by|divided by)';
const goesOnWith = '(?:and then|and|then|if (?:you|i|we)|when (?:you|i|we))\\s';
const englishChain = sentenceOf(
  `${englishStart}(?:(?:take|start with|starting with)\\s)?`,
  `${n}((?:\\s?,?\\s?${goesOnWith}${englishVerb.replace('(', '(?:')}\\s⟨\\d+⟩)+)`,
  englishEnd,
);
const englishLink = new RegExp(`${englishVerb}\\s${n}`, 'gu');
const verbChain = sentenceOf(
  koreanLabel,
  `${n}((?:\\s?(?:에서|에다가|에다|에|을|를|와|과|하고|이랑|랑|의)?\\s?⟨\\d+⟩\\s?(?:을|를|으로|로)?\\s?${verb})+)`,
  koreanEnd,
);
const verbLink = new RegExp(`${n}\\s?(?:을|를|으로|로)?\\s?${verb}`, 'gu');

/** Reads `3 더하기 4 곱하기 2`, with the calculator's precedence. */
function readInOrder({ text, operands }: MarkedText): Operand | undefined {
  const inOrder = infixChain.exec(text);
  if (!inOrder) return undefined;
  const links = [...(inOrder[2] ?? '').matchAll(infixLink)];
  const signs = links.map(([, word = '']) => operators[word.toLowerCase()]);
  if (links.length + 1 !== operands.length) return undefined;
  // -2^2 may be 4 or -4; so may a power in words
  const isRaised = signs.includes('^');
  if (isRaised && operands.some(({ expression }) => expression.startsWith('-'))) return undefined;
  if (isRaised && links.length > 1 && links.some(([, word = '']) => word.startsWith('to ') || word.startsWith('raised'))) return undefined;
  // units are only tracked through one step
  const [a, b] = operands;
  if (links.length === 1) return join(a, signs[0], b);
  if (operands.some((each) => isPercent(each))) return undefined;
  const units = new Set(operands.map(({ unit }) => singular(unit)).filter((unit) => unit !== ''));
  const isAdded = signs.every((sign) => sign === '+' || sign === '-');
  if (units.size > 1 || (units.size === 1 && !isAdded) || signs.includes(undefined)) return undefined;
  const expression = operands.map((each, index) => `${index === 0 ? '' : signs[index - 1]}${atom(each)}`).join('');
  return { expression, unit: operands.find(({ unit }) => unit !== '')?.unit ?? '', grouped: operands.some(({ grouped }) => grouped) };
}

/** Reads `3에 4를 더하고 2를 곱하면` from left to right. */
function readOneByOne({ text, operands }: MarkedText): Operand | undefined {
  const inEnglish = englishChain.exec(text);
  if (inEnglish) {
    const links = [...(inEnglish[2] ?? '').matchAll(englishLink)];
    const start = operands[Number(inEnglish[1])];
    const join_ = (left: Operand | undefined, [, verb = '', index]: RegExpExecArray): Operand | undefined =>
      join(left, englishVerbs[verb.replace(/ (?:it|that)\b/, '')], operands[Number(index)]);
    return links.length + 1 === operands.length ? links.reduce(join_, start) : undefined;
  }
  const chain = verbChain.exec(text);
  const links = [...(chain?.[2] ?? '').matchAll(verbLink)];
  if (!chain || links.length + 1 !== operands.length) return undefined;
  return links.reduce<Operand | undefined>(
    (left, [, index, word]) => join(left, signOfVerb(word), operands[Number(index)]),
    operands[Number(chain[1])],
  );
}

const koreanReference =
  /^(?:그럼|그러면|그리고|then|and|now|so|ok|okay|,|\s)*(?:(?:거기|여기|그거|그것|이거|이것|그 ?(?:값|결과|수|금액|답)|이 ?(?:값|결과|수))(?:에서|에다가|에다|서|에|의|을|를)?\s?|(?:걸|그걸|이걸)\s)/u;
const englishOperator =
  /^(?:and|then|now|so|ok|okay|,|\s)*(?=(?:plus|minus|times|multiplied by|divided by|squared|cubed|[-+*/×÷])(?:\s|$))/u;
const it = /\b(?:that|it|the result|the answer|this)\b/gu;
const bareKorean = new RegExp(`^(?:그럼|그러면|그리고|\\s)*(?=${n}\\s?(?:을|를|으로|로)\\s?${verb}${koreanEnd}$)`, 'u');

/** Reads a sentence with the earlier result in place of the words for it. */
function readContinuation({ text, amounts }: AmountText, { digits, unit }: EarlierResult): Operand | undefined {
  const mark = `⟨${amounts.length}⟩`;
  const put = [
    [koreanReference, `${mark} `],
    [bareKorean, `${mark}에 `],
    [englishOperator, `${mark} `],
  ] as const;
  const found = put.find(([pattern]) => pattern.test(text));
  const with_ = found ? text.replace(found[0], found[1]) : text.replace(it, mark);
  if (!with_.includes(mark)) return undefined;
  return readWhole({ text: with_, amounts: [...amounts, { digits, unit, grouped: unit !== '' }] });
}

function toSum({ expression, unit, grouped }: Operand): Sum | undefined {
  if (expression.length > 480) return undefined;
  const isNumber = /^(?:\d+|-\d+)$/.test(expression);
  return isNumber ? undefined : { expression, ...(unit !== '' || grouped ? { unit } : {}) };
}
