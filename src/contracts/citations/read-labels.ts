import { capital, englishWord, headingText, type LabelHeading, numberOf } from './label-heading.ts';

/** A step below a heading: `제3항`, `제2호`, `가목`; in English contracts always `(a)`. */
export interface LabelStep {
  readonly kind: '항' | '호' | '목' | '()';
  /** `3`, `2.1` for 제2호의1, `가`, `a`. */
  readonly value: string;
}

/** A place in a contract that a text cites. */
export interface CitedLabel {
  /** The label as written; in a range or a list, its own part. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly heading: LabelHeading;
  readonly path: readonly LabelStep[];
  /** The enclosing heading: `Exhibit A` for `Exhibit A, Section 3`, 부칙 for `부칙 제2조`. */
  readonly within?: LabelHeading;
  /** The two labels of `Exhibit A, Section 3`. The comma may also separate two items of a list. */
  readonly neighbours?: readonly CitedLabel[];
  /** The law or other document of the label, if it is not the contract: `민법`. */
  readonly document?: string;
}

/** Formats a label for an answer: `제7조 제3항 제2호`, `Section 4.2(a)`, `부칙 제2조`. */
export function labelText({ heading, path, within }: Pick<CitedLabel, 'heading' | 'path' | 'within'>): string {
  const korean = path
    .filter(({ kind }) => kind !== '()')
    .map(({ kind, value }) => (kind === '목' ? `${value}목` : `제${stepNumber(kind, value)}`));
  const latin = path.flatMap(({ kind, value }) => (kind === '()' ? [`(${value})`] : [])).join('');
  const own = [headingText(heading) + latin, ...korean].join(' ');
  if (within === undefined) return own;
  return within.kind === 'addenda' || /^[가-힣]/u.test(within.word) ? `${headingText(within)} ${own}` : `${headingText(within)}, ${own}`;
}

function stepNumber(kind: string, value: string): string {
  const [main = '', branch] = value.split('.');
  return `${main}${kind}${branch === undefined ? '' : `의${branch}`}`;
}

const circled = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';
const branch = String.raw`(?:\s?의\s?\d{1,3}(?!\d|[.,]\d|\s?(?:년|개월|개|월|일|항|호|인|명|배|%|퍼센트|회|분의|차|주|시간)))`;
const ordinals = ['첫', '두', '세', '네', '다섯', '여섯', '일곱', '여덟', '아홉', '열'];
/** `두 번째`, `둘째`: a spoken number. */
const ordinal = (name: string): string => String.raw`(?:의\s{0,2})?(?<${name}>${ordinals.join('|')}|둘|셋|넷)\s?(?:번\s?)?째\s?`;
const paragraph = String.raw`(?:(?:제\s?)?(?<paragraph>\d{1,2})\s?항|(?<circled>[①-⑳])항?|${ordinal('nth')}항)`;
const item = String.raw`(?:(?:제\s?)?(?<item>\d{1,3})\s?호(?<itemBranch>\s?의\s?\d{1,2})?|${ordinal('nthItem')}호)`;
const steps = String.raw`(?:\s{0,2}${paragraph})?(?:\s{0,2}${item})?(?:\s{0,2}(?<letter>[가나다라마바사아자차카타파하])\s?목)?`;
const titled = String.raw`(?:\s?\([^()\n]{1,60}\)(?=\s{0,2}(?:(?:제\s?)?\d{1,2}\s?[항호]|[①-⑳])))?`;
const koreanArticle = new RegExp(
  String.raw`(?<addenda>부칙\s{0,3})?(?<prefix>제\s{0,2})?(?<!\d)(?<number>\d{1,5})(?<early>\s?의\s?\d{1,3})?\s{0,2}조(?<branches>${branch}*)${titled}${steps}`,
  'gu',
);
/** A dash at the start of a line is a bullet, not a range. */
const noBullet = String.raw`(?!\s?\n\s?[-–])`;
const moreSteps = new RegExp(
  String.raw`${noBullet}\s{0,2}(?:(?<through>부터|내지|에서|~|-|–)|[,·ㆍ]|및|와|과|또는|이나|하고|이?랑)\s{0,2}(?=(?:제\s?)?\d{1,3}\s?[항호](?!\d)|[①-⑳])${steps}`,
  'uy',
);
const moreArticles = new RegExp(
  String.raw`${noBullet}\s{0,2}(?:부터|내지|에서|~|-|–)\s{0,2}(?:제\s{0,2})?(\d{1,5})\s{0,2}조(?!\s?의\s?\d)`,
  'uy',
);
/** Text allowed after `5조` without `제`. Neither `5조원` nor `3조각` names an article. */
const afterBareLabel =
  /^(?:[\s,.?!:)~–」'"·-]|$|(?:은|는|이|가|을|를|에|의|도|만|과|와|랑|및|나|내용|내지)(?:\s|[?!.,]|$)|에서|부터|까지|이랑|이나|제?\d+항|[①-⑳])/u;
const lawBefore =
  /(?:「([^「」\n]{1,80})」|(?<![가-힣])([가-힣·]{0,30}(?:법률|법|시행령|시행규칙|조례|협약|조약)))\s{0,2}(?:\([^()\n]{0,40}\))?\s{0,2}$/u;
const noLaw = /^(?:이|본|동|같은|해당)?\s?(?:방법|위법|불법|적법|합법|편법|기법|문법|이법|본법|법)$/u;
const koreanExhibit = /(?<![가-힣])(별지|별표|별첨|붙임|첨부)\s{0,2}(?:제\s?)?(\d{1,3}(?:\s?의\s?\d{1,2})?)?(?:\s?호)?/gu;
const specialTerms = /(?<![가-힣])특약(?:\s?(?:사항|조항))?(?!매입|점)/gu;
const addendaAlone = /(?<![가-힣])부칙(?!\s{0,3}(?:제\s?)?\d{1,3}\s?조)(?=$|[\s?!.,:()]|은|는|이|의|에|을|도|내용)/gu;

const step = String.raw`\((?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)`;
const parens = String.raw`(?:\s?${step}){0,6}`;
const arabic = String.raw`\d{1,3}(?:\.\d{1,3}){0,3}`;
const word = String.raw`article|art\.?|section|sec\.?|clause|cl\.|§{1,2}|paragraph|para\.?|subsection`;
const englishArticle = new RegExp(
  String.raw`(?:\b(?:paragraphs?|subsections?|sub-?clauses?|clauses?|items?|sub-?paragraphs?)\s{1,2}(?<before>(?:\((?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)){1,4})\s{1,2}(?:of|in|under)\s{1,2})?(?:\b|(?=§))(?<word>${word})s?\s{0,3}(?<number>${arabic}|[ivxlc]{1,8}\b)(?![\w%])(?<parens>${parens})(?:,?\s{0,2}(?:paragraph|subsection|clause|item|sub-?paragraph)\s{1,2}(?<behind>(?:\((?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)){1,4}))?`,
  'giu',
);
const further = new RegExp(
  String.raw`${noBullet}\s{0,2}(?<how>,\s?(?:and|or)|,|and|or|&|to|through|[–-])\s{0,2}(?<number>${arabic})(?![\w%])(?!\s(?:days?|months?|years?|weeks?|hours?|percent|business|calendar|copies|times|[A-Z][a-z]+ \d))(?<parens>${parens})`,
  'iuy',
);
const furtherParens = /\s{0,2}(?:,\s?(?:and|or)|,|and|or|&)\s{0,2}((?:\((?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)){1,4})/iuy;
const englishExhibit =
  /\b(exhibit|schedule|annex|appendix|attachment)\s{1,3}(?:no\.?\s{0,2})?([A-Z]{1,2}(?:-?\d{1,2})?|\d{1,3}(?:\.\d{1,3})?(?:-\d{1,2})?|[ivx]{1,6})(?![\w])/giu;
const bareNumber = new RegExp(
  String.raw`(?<![\w.,$₩€£§(-])(?:\d{1,3}(?:\.\d{1,3}){1,3}${parens}|\d{1,3}(?:\([a-z]{1,5}\)){1,5})(?![\w%]|[.,]\d|\s?(?:%|원|만|억|퍼센트|percent|million|billion|개월|년|일|배|dollars?|USD))`,
  'giu',
);
const lawName = String.raw`(?:Act|Code|Law|Regulations?|Convention|Directive|Treaty|Statutes?|Ordinance|Rules|GDPR|CISG|U\.?S\.?C\.?|C\.?F\.?R\.?|UCC)`;
const lawBehind = new RegExp(
  String.raw`^\s{1,2}(?:of|under)\s(?:the\s)?((?:[A-Z][\w.'’-]{0,30}\s(?:of\s|and\s|the\s|on\s|for\s){0,2}){0,8}${lawName}\b|GDPR\b|CISG\b)|^\s{1,2}(GDPR|CISG)\b`,
  'u',
);
const lawInFront = new RegExp(String.raw`((?:[A-Z][\w.'’-]{0,30}\s){0,6}${lawName})[,\s]{0,3}$`, 'u');
const roman = /^(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/iu;
const maxRange = 20;

export interface ReadLabelsOptions {
  /** Titles of the contract itself: if it is the 근로기준법, `근로기준법 제5조` is its own article. */
  readonly titles?: readonly string[];
  /** Also reads numbers alone, such as `4.02` and `4(a)`, which may be something else. @default false */
  readonly numbers?: boolean;
}

/**
 * Reads the citations of contract places in a text, in any spelling: `제7조 제3항`, `7조 3항 2호`, `제7조의2`, `제3조 내지 제5조` (each of them), `제3조 제1항
 * 및 제3항`, `부칙 제2조`, `별표 1`, `Section 4.02(a)`, `Art. IV`, `clause 4`, `Sections 2.1 and 2.3`, `paragraph (b) of Section 3`, `Schedule
 * 3.01`. A place of another law has the law's name as `document`.
 *
 * @example readLabels('민법 제750조와 제7조 제3항').map(labelText) // ['제750조', '제7조 제3항']
 */
export function readLabels(text: string, options: ReadLabelsOptions = {}): readonly CitedLabel[] {
  const { titles = [], numbers = false } = options;
  // one character for one character, so positions stay those of the original text
  const normal = /[\uFF01-\uFF5E\u3000\u00A0]/u.test(text)
    ? text.replace(/[\uFF01-\uFF5E]/gu, (one) => String.fromCharCode(one.charCodeAt(0) - 0xfee0)).replace(/[\u3000\u00A0]/gu, ' ')
    : text;
  const found = [...koreanLabels(normal, titles), ...koreanExhibits(normal), ...englishLabels(normal, titles), ...englishExhibits(normal)];
  if (numbers) found.push(...bareNumbers(normal, found));
  return joined(
    normal,
    found.sort((a, b) => a.start - b.start || a.end - b.end),
  );
}

const isOwn = (law: string, titles: readonly string[]): boolean =>
  titles.some((title) => title.replace(/\s/gu, '').includes(law.replace(/\s/gu, '')));

function* koreanLabels(text: string, titles: readonly string[]): Generator<CitedLabel> {
  for (const match of text.matchAll(koreanArticle)) {
    const { addenda, prefix, number = '', early = '', branches: late = '' } = match.groups ?? {};
    const branches = early + late;
    const start = match.index;
    const end = start + match[0].length;
    const path = pathOf(match.groups ?? {});
    const after = text.slice(end);
    if (prefix === undefined && path.length === 0 && (/^\s*[원억만달각]/u.test(after) || !afterBareLabel.test(after))) continue;
    const before = lawBefore.exec(text.slice(Math.max(0, start - 90), start));
    const law = (before?.[1] ?? before?.[2])?.trim();
    const document = law !== undefined && !noLaw.test(law) && !isOwn(law, titles) ? { document: law } : {};
    const base = {
      start,
      heading: { kind: 'article', word: '조', number: numberOf(number + branches) } as const,
      ...(addenda === undefined ? {} : { within: addendaHeading }),
      ...document,
    };
    yield { ...base, text: text.slice(start, end), end, path };
    moreArticles.lastIndex = end;
    const range = path.length === 0 && branches === '' ? moreArticles.exec(text) : null;
    const last = Math.min(Number(range?.[1] ?? 0), Number(number) + maxRange);
    for (let next = Number(number) + 1; next < last || (next === last && range && Number(range[1]) > last); next++) {
      yield {
        ...base,
        text: text.slice(start, moreArticles.lastIndex),
        end: moreArticles.lastIndex,
        path: [],
        heading: { ...base.heading, number: String(next) },
      };
    }
    yield* furtherSteps(text, { ...base, text: '', end, path });
  }
}

const addendaHeading: LabelHeading = { kind: 'addenda', word: '부칙', number: '' };

/** Reads further steps: `제3조 제1항 및 제3항`, `제1항부터 제3항까지`, `7조 3항 2호, 3호`. */
function* furtherSteps(text: string, label: CitedLabel): Generator<CitedLabel> {
  let { path, end } = label;
  while (path.length > 0) {
    moreSteps.lastIndex = end;
    const match = moreSteps.exec(text);
    if (!match) return;
    const own = pathOf(match.groups ?? {});
    const first = own[0];
    if (first === undefined) return;
    const above = path.slice(
      0,
      path.findIndex(({ kind }) => kind === first.kind) < 0 ? path.length : path.findIndex(({ kind }) => kind === first.kind),
    );
    const last = path.find(({ kind }) => kind === first.kind);
    if (match.groups?.through !== undefined && last) {
      for (let next = Number(last.value) + 1; next < Math.min(Number(first.value), Number(last.value) + maxRange); next++)
        yield {
          ...label,
          text: text.slice(label.start, moreSteps.lastIndex),
          end: moreSteps.lastIndex,
          path: [...above, { ...first, value: String(next) }],
        };
    }
    end = moreSteps.lastIndex;
    path = [...above, ...own];
    yield { ...label, text: text.slice(match.index, end), start: match.index, end, path };
  }
}

const counted: Readonly<Record<string, string>> = { 둘: '두', 셋: '세', 넷: '네' };
const spokenValue = (word: string): string => String(ordinals.indexOf(counted[word] ?? word) + 1);

function pathOf(groups: Readonly<Record<string, string | undefined>>): readonly LabelStep[] {
  const path: LabelStep[] = [];
  if (groups.paragraph !== undefined) path.push({ kind: '항', value: String(Number(groups.paragraph)) });
  else if (groups.circled !== undefined) path.push({ kind: '항', value: String(circled.indexOf(groups.circled) + 1) });
  else if (groups.nth !== undefined) path.push({ kind: '항', value: spokenValue(groups.nth) });
  if (groups.item !== undefined) path.push({ kind: '호', value: numberOf(groups.item + (groups.itemBranch ?? '')) });
  else if (groups.nthItem !== undefined) path.push({ kind: '호', value: spokenValue(groups.nthItem) });
  if (groups.letter !== undefined) path.push({ kind: '목', value: groups.letter });
  return path;
}

function* koreanExhibits(text: string): Generator<CitedLabel> {
  for (const { 0: all, 1: kind = '', 2: number = '', index } of text.matchAll(koreanExhibit)) {
    const written = all.trimEnd();
    yield {
      text: written,
      start: index,
      end: index + written.length,
      heading: { kind: 'exhibit', word: kind, number: numberOf(number) },
      path: [],
    };
  }
  for (const { 0: all, index } of text.matchAll(specialTerms))
    yield { text: all, start: index, end: index + all.length, heading: { kind: 'exhibit', word: '특약사항', number: '' }, path: [] };
  for (const { 0: all, index } of text.matchAll(addendaAlone))
    yield { text: all, start: index, end: index + all.length, heading: addendaHeading, path: [] };
}

function* englishLabels(text: string, titles: readonly string[]): Generator<CitedLabel> {
  for (const match of text.matchAll(englishArticle)) {
    const { word: written = '', number = '', parens: own = '', before = '', behind = '' } = match.groups ?? {};
    const start = match.index;
    let end = start + match[0].length;
    if (!/^\d/u.test(number) && !isRoman(number, text.slice(end))) continue;
    const heading: LabelHeading = { kind: 'article', word: englishWord(written), number: numberOf(number) };
    const law = lawBehind.exec(text.slice(end, end + 200)) ?? lawInFront.exec(text.slice(Math.max(0, start - 120), start));
    const name = (law?.[1] ?? law?.[2])?.trim();
    const document = name !== undefined && !isOwn(name, titles) ? { document: name } : {};
    const base = { heading, start, ...document };
    const path = [...latinPath(own), ...latinPath(behind), ...latinPath(before)];
    yield { ...base, text: text.slice(start, end), end, path };
    let last: { readonly number: string; readonly path: readonly LabelStep[] } = { number, path };
    for (;;) {
      furtherParens.lastIndex = end;
      const more = last.path.length > 0 ? furtherParens.exec(text) : null;
      if (more) {
        const steps = latinPath(more[1] ?? '');
        end = furtherParens.lastIndex;
        const full = [...last.path.slice(0, Math.max(0, last.path.length - steps.length)), ...steps];
        yield {
          ...base,
          heading: { ...heading, number: numberOf(last.number) },
          text: text.slice(more.index, end),
          start: more.index,
          end,
          path: full,
        };
        continue;
      }
      further.lastIndex = end;
      const next = further.exec(text);
      if (!next || !namesMore(match[0], next.groups ?? {})) break;
      const following = next.groups?.number ?? '';
      if (/^(?:to|through|[–-])$/iu.test(next.groups?.how ?? '')) {
        for (const between of numbersBetween(last.number, following))
          yield {
            ...base,
            heading: { ...heading, number: between },
            text: text.slice(start, further.lastIndex),
            end: further.lastIndex,
            path: [],
          };
      }
      end = further.lastIndex;
      last = { number: following, path: latinPath(next.groups?.parens ?? '') };
      yield {
        ...base,
        heading: { ...heading, number: numberOf(following) },
        text: text.slice(next.index, end),
        start: next.index,
        end,
        path: last.path,
      };
    }
  }
}

/**
 * After one article, a number needs a plural, because of `Section 4, 30 days`. Exceptions: `Art 5 & 6`, `Section 4 & 5` and `Sec. 4.1,
 * 4.3`.
 */
const namesMore = (written: string, { how, number }: Readonly<Record<string, string | undefined>>): boolean =>
  /^\S*s(?=\s)|§§/iu.test(written) ||
  number?.includes('.') === true ||
  how === '&' ||
  (/^(?:art|sec|cl|para)\b/iu.test(written) && /^(?:,\s?)?(?:and|or)$/iu.test(how ?? ''));

/** Accepts `Article i` at the end and `ARTICLE I`, but not `the section I mean`. */
const isRoman = (number: string, after: string): boolean =>
  roman.test(number) &&
  (number.length > 1
    ? !/^(?:mix|mild|civil)$/iu.test(number)
    : /^\s*(?:$|[.,;:?!()"”])/u.test(after) ||
      /^[VXLC]$/u.test(number) ||
      (number === 'I' && !/^\s+(?:am|have|was|can|should|must|need|want|may|mean|do|did|would|could|saw|read)\b/iu.test(after)));

const latinPath = (parens: string): readonly LabelStep[] =>
  Array.from(parens.matchAll(/\(([a-z0-9]{1,5})\)/giu), ([, value = '']) => ({ kind: '()' as const, value: value.toLowerCase() }));

/** Returns the numbers between 3 and 6, or between 4.1 and 4.4. */
function numbersBetween(from: string, to: string): readonly string[] {
  const [first, last] = [from.split('.').map(Number), to.split('.').map(Number)];
  const [a = Number.NaN, b = Number.NaN] = [first.at(-1), last.at(-1)];
  if (first.length !== last.length || first.slice(0, -1).join('.') !== last.slice(0, -1).join('.') || !(b - a <= 60)) return [];
  return Array.from({ length: Math.max(0, Math.min(b - a - 1, maxRange)) }, (_, i) => [...first.slice(0, -1), a + 1 + i].join('.'));
}

function* englishExhibits(text: string): Generator<CitedLabel> {
  for (const { 0: all, 1: kind = '', 2: number = '', index } of text.matchAll(englishExhibit)) {
    // not an exhibit: `can I schedule a meeting?`
    if (
      /^[a-z]{1,2}$/u.test(number) &&
      (!/^\s*(?:$|[.,;:?!)]|say|about|of|and|in|to\b)/iu.test(text.slice(index + all.length)) ||
        (number.length === 2 && !roman.test(number)))
    )
      continue;
    yield {
      text: all,
      start: index,
      end: index + all.length,
      heading: { kind: 'exhibit', word: capital(kind), number: exhibitNumber(number) },
      path: [],
    };
  }
}

/** `Exhibit C` is a letter, `Exhibit IV` a number. */
const exhibitNumber = (written: string): string => (/^[a-z]$/iu.test(written) ? written.toUpperCase() : numberOf(written));

function* bareNumbers(text: string, taken: readonly CitedLabel[]): Generator<CitedLabel> {
  for (const { 0: all, index } of text.matchAll(bareNumber)) {
    const end = index + all.length;
    if (taken.some((one) => one.start < end && index < one.end)) continue;
    const number = /^[\d.]+/u.exec(all)?.[0] ?? '';
    yield { text: all, start: index, end, heading: { kind: 'number', word: '', number: numberOf(number) }, path: latinPath(all) };
  }
}

/** Joins labels that form one place: `Exhibit A, Section 3`, `Section 3 of Exhibit A`, `Article II, Section 3`, `별지 1 제3조`. */
function joined(text: string, labels: readonly CitedLabel[]): readonly CitedLabel[] {
  const result: CitedLabel[] = [];
  for (const label of labels) {
    const last = result.at(-1);
    const between = last ? text.slice(last.end, label.start) : '';
    const isSimple =
      last &&
      last.path.length === 0 &&
      last.within === undefined &&
      last.document === undefined &&
      label.within === undefined &&
      last.end <= label.start;
    const outer = (one: LabelHeading, other: LabelHeading): boolean =>
      (one.kind === 'exhibit' && other.kind === 'article') ||
      (one.word === 'Article' && other.word === 'Section' && !other.number.includes('.'));
    if (isSimple && /^,?\s{0,2}(?:의\s)?$/u.test(between) && outer(last.heading, label.heading)) {
      const neighbours = between.includes(',') ? { neighbours: [last, label] } : {};
      result[result.length - 1] = {
        ...label,
        text: text.slice(last.start, label.end),
        start: last.start,
        within: last.heading,
        ...neighbours,
      };
    } else if (
      last &&
      last.within === undefined &&
      label.path.length === 0 &&
      /^\s(?:of|in|to)\s(?:the\s)?$/iu.test(between) &&
      outer(label.heading, last.heading)
    ) {
      result[result.length - 1] = { ...last, text: text.slice(last.start, label.end), end: label.end, within: label.heading };
    } else result.push(label);
  }
  return result;
}
