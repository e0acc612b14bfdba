import type { ReviewLanguage } from './contract-review.ts';

const numberWord =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|eighteen|twenty|twenty-one|twenty-four|thirty|forty|forty-five|fifty|sixty|seventy|eighty|ninety|hundred|a hundred|one hundred|one hundred (?:and )?(?:twenty|eighty)';

/** Sources of a period: `thirty (30) business days`, `3개월`, `열흘`. */
export const periodSource: Readonly<Record<ReviewLanguage, string>> = {
  en: String.raw`\b(?:\d{1,4}|${numberWord})(?:\s*\(\d{1,4}\))?[\s-]+(?:full\s+|consecutive\s+)?(?:(?:business|working|calendar)\s+)?(?:days?|weeks?|months?|years?|hours?)\b`,
  ko: String.raw`(?<![\d가-힣])(?:\d{1,4}\s?(?:영업일|근무일|일|주일?|개월|년|시간)(?!\s?자)|(?:한|두|세|네|석|넉|다섯|여섯)\s?(?:달|주일?)|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘|보름|[일이삼사오육칠팔구십]{1,4}\s?(?:일|개월))`,
};

export const periodPattern: Readonly<Record<ReviewLanguage, RegExp>> = {
  en: new RegExp(periodSource.en, 'i'),
  ko: new RegExp(periodSource.ko),
};
