import { contentWords } from '../../core/text/content-words.ts';
import { cutAtSentence, splitSentences } from '../../core/text/sentences.ts';
import { isRequestWord } from './request-words.ts';

interface DefiningPassage {
  readonly heading?: string;
  readonly text?: string;
}

/** The term in a question for its definition. */
export interface AskedDefinition {
  readonly term: string;
  /** Quotes the definition in a passage, verbatim. Returns `undefined` for a passage that only mentions the term. */
  readonly quoteFrom: (passage: DefiningPassage) => string | undefined;
}

const maxQuestionChars = 300;
const maxQuoteChars = 400;
const maxTermWords = 4;

/**
 * Reads the term in a question for its definition: `X가 뭐야?`, `what is X`. Returns `undefined` for questions about a property, such as `what
 * is the refund policy`.
 */
export function askedDefinition(question: string): AskedDefinition | undefined {
  for (const clause of question.slice(0, maxQuestionChars).split(/[?？!;\n]+|[.,](?=\s|$)/u)) {
    const term = koreanTerm(clause.trim()) ?? englishTerm(clause.trim());
    if (term !== undefined) return { term, quoteFrom: (passage) => definitionIn(passage, term) };
  }
  return undefined;
}

const koreanMeaning = '(?:뜻|정의|의미|개념)';
const koreanAsking = [
  '(?:이?란|이라는\\s?(?:게|것이|건|것은|말은?)|라는\\s?(?:게|것이|건|것은|말은?))(?:$|\\s.*)',
  `(?:의|이라는\\s말의)?\\s?${koreanMeaning}[이은을가는를]?(?:$|\\s.*)`,
  '(?:[이가은는]|라는\\s?거)?\\s?(?:(?:정확히|대체|도대체|그게|이게|무슨|그건)\\s)*(?:뭐|뭔|무엇)(?:$|야|예|에요|죠|지|냐|니|임|고|데|가|인|이|입|길래|하는\\s?(?:거|것|건|곳))(?!\\s?(?:있|하|해|먹)).*',
  '[이가은는]\\s(?:무슨|어떤)\\s(?:뜻|의미|말|것|거|프로그램|도구|물건|개념|용어).*',
].map((asking) => new RegExp(`^(?<term>.{1,60}?)${asking}$`, 'u'));

/** Nouns for a property: the question is for its value, not for a definition. */
const property =
  /(?:조건|한도|절차|방법|정책|규정|규칙|기준|일정|종류|이유|원인|차이점?|기한|금액|이름|번호|주소|가격|비용|날짜|요일|목록|장점|단점|역할|문제|상태|결과|예산|나이|생일|게|거|것|\b(?:policy|policies|limits?|deadline|dates?|day|time|reason|difference|price|cost|name|number|address|list|status|result|budget|rules?|answer|steps?|way|capital))$|(?:^|\s)(?:제일|가장|best)\s/iu;
/** Words for known things, or things of the user. */
const pronoun =
  /^(?:나|내|제|너|네|니|우리|저희|이|그|저|이거|그거|저거|이게|그게|지금|오늘|내일|my|our|your|his|her|their|its?|this|that|these|those|there|you|i|we|he|she|they|today|tomorrow)(?:\s|$|['’])/iu;

function koreanTerm(clause: string): string | undefined {
  const term = koreanAsking.map((asking) => asking.exec(clause)?.groups?.term).find((found) => found !== undefined);
  return term === undefined || !/[가-힣]/u.test(clause) ? undefined : asTerm(term);
}

const english = "(?<article>an?\\s|the\\s)?(?<term>[\\p{L}\\p{N}][\\p{L}\\p{N} .'’/-]{0,60}?)";
const englishEnd = '(?:\\s(?:again|exactly|please|in|from|using|according|for|and|then|to|me|by|with|now)\\b.*)?$';
const englishAsking = [
  `\\bwhat\\s(?:does|do)\\s${english}\\s(?:mean|stand\\sfor)\\b.*$`,
  `\\bwhat\\s(?:do you mean|is meant)\\sby\\s${english}${englishEnd}`,
  `(?:\\bdefine|\\b(?:definition|meaning)\\sof)\\s${english}${englishEnd}`,
  `\\bwhat(?:['’]?s|\\sis|\\sare)\\s(?:exactly\\s)?${english}${englishEnd}`,
  `\\bwhat\\sexactly\\s(?:is|are)\\s${english}${englishEnd}`,
  `\\bwhat\\s${english}\\s(?:is|are|means)${englishEnd}`,
].map((asking) => new RegExp(asking, 'iu'));

function englishTerm(clause: string): string | undefined {
  const found = englishAsking.map((asking) => asking.exec(clause)?.groups).find((groups) => groups !== undefined);
  if (found?.term === undefined) return undefined;
  const isProperty = /^the\s/iu.test(found.article ?? '') && found.term.includes(' ');
  return isProperty ? undefined : asTerm(found.term);
}

/** Returns the term without the words of the request, or `undefined` if nothing is left to define. */
function asTerm(text: string): string | undefined {
  if (pronoun.test(text.trim())) return undefined;
  const term = contentWords(text)
    .split(' ')
    .filter((word) => !isRequestWord(word))
    .join(' ');
  if (!/[\p{L}]{2,}/u.test(term) || property.test(term) || term.split(' ').length > maxTermWords) return undefined;
  return /\d\s?(?:[+*/^-]|times|plus|minus)|[%^]/iu.test(term) ? undefined : term;
}

function definitionIn({ heading = '', text = '' }: DefiningPassage, term: string): string | undefined {
  const name = term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s');
  const edge = '[^\\p{L}\\p{N}]{0,3}';
  const sentences = splitSentences(text);
  const quoted = (quote: string): string => cutAtSentence(quote.trim(), maxQuoteChars);
  if (new RegExp(`(?:^|› )${edge}(?:what is (?:an? )?)?${name}${edge}s?(?:이란|란)?${edge}$`, 'iu').test(heading))
    return quoted(sentences.slice(0, 2).join(' ')) || undefined;
  const english = new RegExp(
    `(?:^|\\b(?:an?|the)\\s)${edge}${name}${edge}\\s?(?:is|are|means|refers to|stands for)\\s(?:an?|the|what|how|one|made|that)\\b`,
    'iu',
  );
  const korean = new RegExp(`^${edge}${name}${edge}(?:은|는|이란|란)\\s`, 'iu');
  const found = sentences.find((sentence) => english.test(sentence) || (korean.test(sentence) && saysWhat(sentence)));
  if (found !== undefined) return quoted(found);
  // an entry of a list or a glossary, but not a line of code
  const entry = new RegExp(`^[\\s>*|\`"“_-]{0,6}${name}${edge}(?:[:：]|\\s[—–-]|\\s?\\|)\\s?\\S+\\s\\S`, 'iu');
  const line = text.split('\n').find((one) => entry.test(one) && sentences.some((sentence) => one.includes(sentence)));
  return line === undefined ? undefined : quoted(line);
}

/** True for a Korean sentence that states the nature of its subject (`쇠입니다`, `도구다`, `4시간이며`), not its action. */
function saysWhat(sentence: string): boolean {
  const end = /(?<before>[가-힣])다[.\s]*$/u.exec(sentence)?.groups?.before;
  const isOpen = end !== undefined && (end.charCodeAt(0) - hangulStart) % finals === 0;
  return isOpen || /(?:입니다|이에요|예요|(?:뜻|말|의미)(?:한다|합니다))[.\s]*$|[^으]이[며고](?:\s|,)/u.test(sentence);
}

/**
 * First Hangul syllable in Unicode, and the number of syllables with the same initial and vowel. The first of these has no final consonant.
 */
const hangulStart = 0xac00;
const finals = 28;
