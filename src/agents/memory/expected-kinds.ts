/** A kind of answer: patterns of its questions and of its text. */
interface ExpectedKind {
  readonly asked: RegExp;
  readonly has: RegExp;
}

const time: ExpectedKind = {
  asked: /\b(?:when|what (?:time|day|date|year|month)|how long|since)\b|언제|며칠|몇\s?(?:시|월|일|년)|날짜/iu,
  has: /\d|\b(?:(?:to|yester)day|tomorrow|tonight|this|last|next|ago|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|오늘|어제|내일|그제|모레|지난|다음|이번|요일|방금|부터|까지|주말/iu,
};
const amount: ExpectedKind = {
  asked: /\bhow (?:many|much|old|far|big|tall|heavy|often)\b|몇|얼마/iu,
  has: /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|once|twice)\b|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무)\s?(?:개|명|번|달|시간|살|대|마리|권|점|주)/iu,
};
const name: ExpectedKind = {
  asked: /\bwho(?:se|m)?\b|\bnames?\b|\bcalled\b|누구|누가|이름/iu,
  has: /(?<=[\p{L},] )\p{Lu}\p{Ll}{2,}|[가-힣]{2,3}(?:씨|님|이가|이랑|이는|이라고|라고)|[가-힣] 씨/u,
};

/** Returns the patterns expected in the answer to a question; empty if any answer may fit. */
export const expectedKinds = (query: string): readonly RegExp[] =>
  [time, amount, name].filter(({ asked }) => asked.test(query)).map(({ has }) => has);
