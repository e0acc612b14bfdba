/**
 * Topic of a question or an order: its words without those that ask, order or name the place, and Korean ones without particles. For
 * display and search. Returns all words if none would remain.
 *
 * @example contentWords('이 저장소의 문서에서 체크포인트를 찾아 요약해줘') // '체크포인트'
 * @example contentWords('What survives a crash?') // 'survives crash'
 */
export function contentWords(query: string): string {
  const words = query
    .normalize('NFC')
    .replace(quotes, ' ')
    .split(/\s+/)
    .map(toWord)
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const content: string[] = [];
  let place = false;
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i];
    if (!word) continue;
    const before = words[i - 1];
    place = isPlace(word.lower, before, place);
    if (place || isFiller(word.lower, words[i + 1]) || isOrder(word.lower, before, content.length === 0)) continue;
    content.push(withoutParticle(word.text));
  }
  return (content.length > 0 ? content.reverse() : words.map(({ text }) => text)).join(' ');
}

interface Word {
  /** Without the brackets and stops around it. */
  readonly text: string;
  readonly lower: string;
  /** A stop or comma follows. */
  readonly endsClause: boolean;
}

/** Quotes, but not the apostrophe of `what's`. */
const quotes = /["“”`「」『』]|(?<!\p{L})['‘’]|['‘’](?!\p{L})|['’](?=[가-힣])/gu;
const stops = /[.,;:!?…、。？！]+$/;
const brackets = /^[([{<]?([^()[\]{}<>]*)[)\]}>]?$/; // `(limit)`, but not `f(x)`
/** A longer word is left unchanged; stripping its punctuation could take quadratic time. */
const maxWordChars = 200;

function toWord(raw: string): Word {
  const text = raw.length > maxWordChars ? raw : raw.replace(stops, '').replace(brackets, '$1').replace(stops, '');
  return { text, lower: text.toLowerCase(), endsClause: stops.test(raw.slice(-1)) };
}

const placeNoun =
  '문서들?|저장소|레포(?:지토리)?|리포(?:지토리)?|자료|폴더|docs?|documents?|documentation|readme(?:\\.md)?|repo(?:sitory)?';
const koreanPlace = new RegExp(`^(?:(?:${placeNoun})에(?:서(?:는|의)?)?|(?:저장소|레포|리포|repo)의|(?:안|내|중|속)에서?)$`);
const beforePlace = new RegExp(`^(?:${placeNoun})$`);
const englishPlace = /^(?:docs|documents|documentation|files|readme(?:\.md)?|repo|repository)$/;

/** `문서에서`, `docs 폴더에서`, `in the docs`. */
function isPlace(word: string, before: Word | undefined, placeFollows: boolean): boolean {
  if (koreanPlace.test(word) || (placeFollows && beforePlace.test(word))) return true;
  return englishPlace.test(word) && /^(?:in|from|of|the|this|these|our|your|my)$/.test(before?.lower ?? '');
}

const koreanFillers = [
  '은|는|을|를|의|에|에서|로|으로|와|과|도|란|이란', // left alone by a quote in front of them
  '이|그|저|이것|그것|저것|이거|것[은을이]?|수|있는|좀|제발|모두|전부|그리고|또는|및|또|간단히|짧게|자세히|한국어로|영어로',
  '대해서?|대한|대하여|관해서?|관한|관하여|관련|관련된|내용[을은이]?|부분[을은이]?',
  '뭐|뭐야|뭔지|뭔가요|무엇[이을]?|무엇인(?:가|가요|지)|어떻게|어떤|왜|언제|어디|어디서|누가|몇|며칠(?:이야|이에요|인가요|인지|이나|까지|간)?|얼마(?:야|예요|인가요|인지|나|까지)?',
  '있어|있어요|있나요|있는지|있을까|되나요|되는지|되나|인가요|하나요|하는지',
];
const englishFillers = [
  'a an the of in on at to for from by with about into is are was were be been do does did can could should would will shall may',
  'might must i me my we us our you your it its this that these those there here what which who whom whose when where why how',
  "and or then also so please say says what's how's where's who's it's that's there's",
];
const koreanFiller = new RegExp(`^(?:${koreanFillers.join('|')})$`);
const englishFiller = new Set(englishFillers.flatMap((line) => line.split(' ')));

const isFiller = (word: string, after: Word | undefined): boolean =>
  koreanFiller.test(word) || englishFiller.has(word.replace('’', "'")) || (word === 'summary' && after?.lower === 'of');

const koreanOrders = [
  '찾[가-힣]*|(?:알려(?!진|지)|보여|말해|가르쳐|부탁)[가-힣]*',
  '(?:요약|정리|설명|검색|조회|계산|비교|소개|확인)(?:해[가-힣]*|하(?:고|여|라|자|시|세|십)[가-힣]*)',
  '해|해줘|해줘요|해주세요|해주고|해봐|해라|주세요|줘|줘요|줄래|봐|봐줘',
];
const koreanOrder = new RegExp(`^(?:${koreanOrders.join('|')})$`);
const koreanOrderNoun = /^(?:요약|정리|설명)[을를]?$/;
const englishOrder = /^(?:find|search|look|summari[sz]e|explain|describe|tell|show|give|retrieve|compare)$/;

/** A Korean noun orders at the end. An English verb orders at the start of a clause: `search the docs`, not `how search works`. */
function isOrder(word: string, before: Word | undefined, nothingFollows: boolean): boolean {
  if (koreanOrder.test(word) || (nothingFollows && koreanOrderNoun.test(word))) return true;
  if (word === 'up' && before?.lower === 'look') return true;
  return englishOrder.test(word) && (!before || before.endsClause || /^(?:and|then|please|to|you)$|[가-힣]$/.test(before.lower));
}

const afterConsonant = ['이라는', '이란', '으로', '은', '을', '과', '이'];
const afterVowel = ['라는', '란', '로', '는', '를', '와', '가'];
const afterAny = ['에서는', '에서도', '에서', '에게', '에는', '에', '의', '까지', '부터', '처럼', '보다'];
/** Endings of Korean nouns and verbs look the same, so these are particles only after another script. */
const afterOtherScript = ['이나', '이고', '도', '만', '랑', '나'];
const particles = [...afterConsonant, ...afterVowel, ...afterAny, ...afterOtherScript].sort((a, b) => b.length - a.length);

/** A particle goes when it fits the syllable before it and leaves two syllables, or a word of another script. */
function withoutParticle(word: string): string {
  const stem = particles.filter((particle) => word.endsWith(particle)).map((particle) => word.slice(0, -particle.length));
  return stem.find((stem) => fits(stem, word.slice(stem.length))) ?? word;
}

function fits(stem: string, particle: string): boolean {
  const last = stem.charCodeAt(stem.length - 1);
  if (!(last >= 0xac00 && last <= 0xd7a3)) return /[\p{L}\p{N}]/u.test(stem);
  if (stem.length < 2 || (particle === '는' && /[하되있없않]$/.test(stem))) return false; // `저장하는` is a verb
  const consonant = (last - 0xac00) % 28;
  if (particle === '로') return consonant === 0 || consonant === 8; // ㄹ
  return afterAny.includes(particle) || (consonant === 0 ? afterVowel : afterConsonant).includes(particle);
}
