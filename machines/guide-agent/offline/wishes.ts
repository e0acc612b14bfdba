import type { CatalogueService } from '../catalogue.ts';

/** A wish about any kind of service. */
export interface Wish {
  readonly said: RegExp;
  readonly unsaid?: RegExp;
  readonly ko: string;
  readonly en: string;
  readonly fits: (service: Pick<CatalogueService, 'price' | 'languages' | 'tags'>) => boolean;
}

const wishes: readonly Wish[] = [
  {
    said: /무료|공짜|돈\s?안\s?(?:들|쓰)|\bfree\b|no cost/iu,
    unsaid: /(?:무료|공짜)(?:가|는|로|일|도)?\s*(?:아니|싫|말고|필요\s?없|안\s?써)|\b(?:not|needn't be|don't need)\s+free\b/iu,
    ko: '무료',
    en: 'free',
    fits: ({ price }) => price.amount === 0 || price.free_tier,
  },
  { said: /한국어|한글|\bkorean\b/iu, ko: '한국어', en: 'Korean', fits: ({ languages }) => languages.includes('ko') },
  { said: /영어|영문|\bin english\b|english[- ]speaking/iu, ko: '영어', en: 'English', fits: ({ languages }) => languages.includes('en') },
  {
    said: /오프라인|인터넷\s?없이|보안|기밀|외부로\s?(?:안|나가)|\boffline\b|confidential|on[- ]premises|self-hosted/iu,
    ko: '오프라인·보안',
    en: 'offline or secure',
    fits: ({ tags }) => tags.some((tag) => /오프라인|보안|사내 설치|개인정보/u.test(tag)),
  },
];

/** Returns the wishes in a text. */
export const wishesIn = (text: string): readonly Wish[] => wishes.filter(({ said, unsaid }) => said.test(text) && !unsaid?.test(text));

const everywhere = wishes.map(({ said }) => new RegExp(said, `${said.flags}g`));

/** Removes the words of wishes, which do not describe a service's purpose. */
export const withoutWishes = (text: string): string => everywhere.reduce((rest, said) => rest.replaceAll(said, ' '), text).trim();

/** Words of all wishes, as memories spell them; a search for them finds the memories. */
export const allWishes = wishes.map(({ ko, en }) => `${ko} ${en}`).join(' ');
