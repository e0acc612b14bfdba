/** Returns the topic of a clause that states a fact about the user, a date or a number; `undefined` for any other clause. */
export function factKey(clause: string, { onlyOwn }: { readonly onlyOwn: boolean }): string | undefined {
  for (const { pattern, own, keyOf } of rules) {
    if (onlyOwn && !own) continue;
    const groups = pattern.exec(clause)?.groups;
    const key = groups && keyOf(groups, clause);
    if (key !== undefined) return key;
  }
  return undefined;
}

interface Rule {
  readonly pattern: RegExp;
  /** True when the rule is certain to concern the user. */
  readonly own: boolean;
  /** Returns `undefined` when the pattern matches without stating anything. */
  readonly keyOf: (groups: Readonly<Record<string, string | undefined>>, clause: string) => string | undefined;
}

const data = new RegExp(
  [
    '\\d|[일이삼사오육칠팔구십백천만억조]+\\s?원|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무)\\s?(?:명|개|시|살|마리|번|달|주)(?![가-힣]{2})',
    '[월화수목금토일]요일|내일|모레|다음\\s?[주달]|이번\\s?[주달]|내년|올해',
    '\\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\\b|\\b(?:january|february|march|april|june|july|august|september|october|november|december)\\b',
    '\\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|million)\\b|\\b(?:tomorrow|noon|midnight)\\b|\\bnext (?:week|month|year)\\b',
  ].join('|'),
  'iu',
);

const nouns = [
  '이름|성함|별명|나이|생일|생년월일|마감일?|마감\\s?(?:일자|날짜|기한)|기한|납기|일정|날짜|시간|예산|비용|가격|금액|단가|연봉|주소|연락처|번호|이메일|메일|회사|직업|직장|학교|전공',
  '팀|부서|직급|목표|취미|고향|국적|인원|참석자|장소|담당자|책임자|버전|아이디|목적지|출발일|도착일|회의|약속|키|몸무게|혈액형|언어|규모|기간|강아지|고양이|아들|딸|아내|남편|색상?|음식|팀장',
].join('|');
const endsWithNoun = new RegExp(`(?:^|\\s|[가-힣])(?:${nouns})$`, 'u');
const englishNoun =
  'deadline|due date|budget|price|cost|address|email|phone(?: number)?|birthday|meeting|venue|destination|goal|version|team size';
/** Subjects without a property. `my question is` introduces a question; `그건` and `the answer` refer to something that leaves the window. */
const noProperty =
  /^(?:question|point|problem|issue|guess|request|idea|concern|opinion|answer|result|it|that|(?:이|그|저)(?:건|게|거|것)|정?답|오늘|지금|여기|거기)s?$/iu;

const start = '(?:^|[,;、，]\\s?|(?:그리고|참고로|그런데|근데|그럼|아|음|네|응)\\s|(?:remember|note|and|but|also|so|that)\\s)';
const korean = (source: string, flags = 'u'): RegExp => new RegExp(source, flags);
const english = (source: string): RegExp => new RegExp(source, 'iu');

const rules: readonly Rule[] = [
  { pattern: korean('(?:내|제|나의|저의)\\s?(?:이름|성함)(?<v>은|이|:|을)\\s?\\S'), own: true, keyOf: () => 'name' },
  { pattern: korean('(?:^|[\\s,])(?:나는|난|저는|전)\\s(?<v>\\S{1,20}?)이?라고\\s?(?:해|합니다|하는)'), own: true, keyOf: () => 'name' },
  { pattern: korean('(?<v>\\S)(?:이?라고|으로|로)\\s?불러'), own: true, keyOf: () => 'call' },
  {
    pattern: korean('(?<o>[^,;]{1,30}?)\\s?(?:알레르기|알러지)(?:가|는|도|를)?\\s?(?:있|없|심|가졌|야|입니다|예요|이야)'),
    own: true,
    keyOf: about('allergy'),
  },
  {
    pattern: korean(
      '(?<o>.{1,60}?)(?:[을를이가은는도만]|보다)?\\s(?:(?:정말|아주|매우|너무|무척|제일|가장|더|별로|특히|잘|자주)\\s){0,2}(?:안\\s?)?(?:좋아[하해합한]|싫어[하해합한]|선호[하해합한]|즐겨|즐깁|즐기|못\\s?먹|안\\s?먹|먹지\\s[못않])',
    ),
    own: true,
    keyOf: about('like'),
  },
  { pattern: korean('(?<o>.{1,60}?)[이가은는도]\\s(?:제일|가장|더)\\s?좋[아다습]'), own: true, keyOf: about('like') },
  { pattern: korean('(?<v>\\S)에서?\\s?(?:살[아고았]|삽니다|살고|거주)'), own: true, keyOf: (_, clause) => withSubject('home', clause) },
  {
    pattern: korean('(?<v>\\S)(?:에서\\s?(?:일[해하합했]|근무)|에\\s?(?:다녀|다니|다닙|재직))'),
    own: true,
    keyOf: (_, clause) => withSubject('work', clause),
  },
  {
    pattern: korean('(?:^|[\\s,])(?:나는|난|저는|전)\\s(?<v>[^,]{1,40}?)(?:이야|야|입니다|이에요|예요|이거든|거든|임)$'),
    own: true,
    keyOf: ({ v = '' }) => (/\d\s?[살세]$/.test(v) ? 'age' : `self:${plain(v)}`),
  },
  {
    pattern: korean(`${start}(?<own>우리|저희|내|제|나의|저의)\\s(?<s>[^,;:]{1,30}?)(?:[은는이가을를]\\s|\\s?[:=：]\\s?)(?<v>.+)`),
    own: true,
    keyOf: koreanProperty,
  },
  { pattern: korean(`${start}(?<s>[^,;:]{1,30}?)(?:(?<p>[은는이가을를])\\s|\\s?[:=：]\\s?)(?<v>.+)`), own: false, keyOf: koreanProperty },
  { pattern: korean(`${start}(?<s>(?:\\S{1,20}\\s){0,2}(?:${nouns}))\\s(?<v>\\d.*)`), own: false, keyOf: koreanProperty },

  {
    pattern: korean('^(?<v>.{1,80}(?:있|만나|출발|도착|시작|끝나|예정)[가-힣]{1,4})$'),
    own: false,
    keyOf: ({ v = '' }) => (data.test(v) ? `when:${plain(v.replace(/\d+/g, ''))}` : undefined),
  },

  { pattern: english("\\bmy (?:(?:full|first|last|given|family) )?name(?<v>'s| is|:)\\s\\S"), own: true, keyOf: () => 'name' },
  { pattern: english("\\b(?:i am|i'm|i’m) (?<v>called|named)\\s"), own: true, keyOf: () => 'name' },
  { pattern: introduction(), own: true, keyOf: () => 'name' },
  { pattern: english('\\b(?<v>call|address) me\\s'), own: true, keyOf: () => 'call' },
  { pattern: english('\\ballergic to\\s(?<o>.{1,60})'), own: true, keyOf: about('allergy') },
  { pattern: english('\\bhave an?\\s(?<o>[^,;]{1,40}?)\\sallergy'), own: true, keyOf: about('allergy') },
  {
    pattern: english(
      "\\bi(?: (?:really|also|absolutely|usually|always|mostly|only|still|now|much))? (?:do not |don't |don’t |can't |can’t |cannot |never |no longer )?(?:really )?(?:prefer|like|love|hate|dislike|enjoy|eat|drink|stand|avoid|use)\\s(?<o>.{1,60})",
    ),
    own: true,
    keyOf: about('like'),
  },
  { pattern: english("\\bi(?:'m| am|’m)? (?<v>live|reside|living|based) in\\s"), own: true, keyOf: () => 'home' },
  { pattern: english("\\bi(?:'m| am|’m| come) (?<v>from)\\s"), own: true, keyOf: () => 'origin' },
  { pattern: english("\\bi(?:'m| am|’m)? (?<v>work|working|employed) (?:at|for|as|in)\\s"), own: true, keyOf: () => 'work' },
  { pattern: english("\\bi(?:'m| am|’m) (?<v>\\d{1,3})(?: years old)?$"), own: true, keyOf: () => 'age' },
  {
    pattern: english('\\b(?<who>i|we|(?:my|our) [\\p{L} ]{1,30}?) (?:have|has)\\s(?<v>.{1,80})'),
    own: false,
    keyOf: ({ who = '', v = '' }) => (data.test(v) ? `have:${plain(who)}:${plain(v.replace(/\d+/g, ''))}` : undefined),
  },
  { pattern: english("^(?:i'm|i am|i’m) an?\\s(?<v>.{1,60})"), own: true, keyOf: ({ v = '' }) => `self:${plain(v)}` },
  {
    pattern: english(
      '\\b(?:moved|changed|postponed|set|raised|increased|reduced|cut)\\s(?:the|our|my)\\s(?<s>[^,;]{1,40}?)\\s(?:to|until)\\s(?<v>.+)',
    ),
    own: false,
    keyOf: englishProperty,
  },
  {
    pattern: english(`${start}(?<own>my|our)\\s(?<s>[\\p{L}\\p{N}'’ -]{1,40}?)\\s?${equals()}\\s?(?<v>.+)`),
    own: true,
    keyOf: englishProperty,
  },
  {
    pattern: english(`${start}(?:the|this)\\s(?<s>[\\p{L}\\p{N}'’ -]{1,40}?)\\s?${equals()}\\s?(?<v>.+)`),
    own: false,
    keyOf: englishProperty,
  },
  { pattern: english(`${start}(?<s>${englishNoun})\\s?${equals()}\\s?(?<v>.+)`), own: false, keyOf: englishProperty },
];

function equals(): string {
  return '(?:[:=]| (?:is|are|was|will be|became|has (?:been )?(?:moved|changed|set) to|(?:moved|changed|was moved) to)\\s)';
}

/** Matches `I'm Minji` and `This is Minji Kim`, which are names by their capital letters. Capital words for a people or a state are none. */
function introduction(): RegExp {
  const other =
    '(?:[A-Z][a-z]*(?:ean|ican|ish|ese|ench|man|ssian|lian|ndian|utch|wiss|eek|eck|hai)|Muslim|Jewish|Catholic|Buddhist|Hindu|Sorry|Fine|OK|Ok|Here|Back|Done|Not|Sure|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)';
  return new RegExp(
    `^(?:(?:[Hh]i|[Hh]ello|[Hh]ey)(?: there)? )?(?:I['’]m|I am|i['’]m|[Tt]his is|[Mm]y friends call me|[Ee]veryone calls me) (?<v>(?!${other}\\b)\\p{Lu}\\p{Ll}[\\p{L}'’-]*(?: \\p{Lu}[\\p{L}'’-]*){0,2})(?: here)?$`,
    'u',
  );
}

/** Matches `X를 3월로 바꿨어`, which states the new value of X; `X를 3번 읽었어` does not match. */
const change = /(?:으로|로)\s.*(?:바[꾸꿨뀌뀐]|변경|미[뤘루뤄]|당[겼기겨]|정[했해하]|확정|늘[렸리었어]|줄[였이었어]|연기|조정)/u;

function koreanProperty({ own, s = '', p, v = '' }: Readonly<Record<string, string | undefined>>): string | undefined {
  const isNoun = endsWithNoun.test(s);
  if (noProperty.test(s)) return undefined;
  if ((p === '을' || p === '를') && !change.test(v)) return undefined;
  if (!data.test(v) && !((isNoun || own !== undefined) && v.length <= 40 && isStatement(v))) return undefined;
  return isUser(s) ? `self:${plain(v)}` : `of:${plain(s)}`;
}

/** True for the ending of a Korean statement, or for a noun. */
const isStatement = (value: string): boolean =>
  /(?:이?야|입니다|이에요|예요|이?다|임|이고|이며|이?거든|[했됐]어|[했됐]어요|[했됐]습니다|(?:이|가) 아니야)$/u.test(value) ||
  !/\s/.test(value);

function englishProperty({ own, s = '', v = '' }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (noProperty.test(s) || v.length > 120) return undefined;
  return own !== undefined || data.test(v) ? `of:${plain(s)}` : undefined;
}

function about(what: string): Rule['keyOf'] {
  return ({ o = '' }) => (plain(o) === '' ? undefined : `${what}:${plain(o)}`);
}

/** Adds the owner of a property other than the user: `할머니는 부산에 살아`. */
function withSubject(what: string, clause: string): string {
  const subject = /^(?<s>[^,]{1,20}?)[은는이가]\s/u.exec(clause)?.groups?.s ?? '';
  return subject === '' || isUser(subject) ? what : `${what}:${plain(subject)}`;
}

const isUser = (word: string): boolean => /^(?:나|저|내|제|난|전|우리|저희)$/.test(word.trim());

/** Normalises the spelling of words, and removes the owner. */
const plain = (words: string): string =>
  words
    .toLowerCase()
    .replace(/^(?:(?:그리고|참고로|그런데|근데|그럼|아|음|네|응|remember|note|and|but|also|so|that)\s)+/u, '')
    .replace(/^(?:나는|난|저는|전|내가|제가|우리는?|저희는?|내|제|my|our|the|a|an)\s/u, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, 60);
