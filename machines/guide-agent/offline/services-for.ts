import type { CatalogueService } from '../catalogue.ts';
import { withoutWishes } from './wishes.ts';

/** Returns the services that a text mentions by name, tag or word, best first. Rare terms count more. */
export function servicesFor(text: string, services: readonly CatalogueService[]): readonly CatalogueService[] {
  const found = matchesOf(text, services).map(({ service, terms }) => ({ service, score: sumOf(terms.values()) }));
  const best = Math.max(0, ...found.map(({ score }) => score));
  return found
    .filter(({ score }) => score > best / 4)
    .sort((a, b) => b.score - a.score)
    .map(({ service }) => service);
}

/** Returns the share of a text's words that occur in the catalogue: 0 to 1. */
export function shareKnown(text: string, services: readonly CatalogueService[]): number {
  const words = wordsOf(withoutWishes(text));
  const known = services.flatMap((service) => [...termsOf(service).keys()]);
  return (
    words.filter((word) => known.some((term) => (/^[a-z]/.test(word) ? term.split(' ').includes(word) : term.includes(word)))).length /
    (words.length || 1)
  );
}

/** Returns a small set of services that covers all matching words of a text. Each service adds something that the ones before it lack. */
export function servicesCovering(text: string, services: readonly CatalogueService[]): readonly CatalogueService[] {
  const left = matchesOf(text, services);
  const chosen: CatalogueService[] = [];
  for (;;) {
    const scores = left.map(({ terms }) => sumOf(terms.values()));
    const best = Math.max(0, ...scores);
    const match = left[scores.indexOf(best)];
    if (!match || best < leastScore) return chosen;
    chosen.push(match.service);
    for (const term of [...match.terms.keys()]) for (const { terms } of left) terms.delete(term);
  }
}

/** Minimum score of a service; below it, only common words match. */
const leastScore = 1.5;

function matchesOf(text: string, services: readonly CatalogueService[]): { service: CatalogueService; terms: Map<string, number> }[] {
  const said = { plain: spaceless(text), words: wordsOf(withoutWishes(text)) };
  const known = services.map(termsOf);
  const counts = new Map<string, number>();
  for (const term of known.flatMap((own) => [...own.keys()])) counts.set(term, (counts.get(term) ?? 0) + 1);
  return services.map((service, index) => ({
    service,
    terms: new Map(
      [...(known[index] ?? [])]
        .filter(([term]) => isSaid(term, said))
        .map(([term, weight]) => [term, weight * (1 + 3 / (counts.get(term) ?? 1))]),
    ),
  }));
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, number) => sum + number, 0);

/** Returns the related services: those that share a tag, not counting the first one, which is the category. */
export const neighboursOf = (service: CatalogueService, services: readonly CatalogueService[]): readonly CatalogueService[] =>
  services.filter(
    (other) =>
      other.id !== service.id &&
      withoutWishes(
        other.tags
          .slice(1)
          .filter((tag) => service.tags.slice(1).includes(tag))
          .join(' '),
      ) !== '',
  );

function termsOf({
  name,
  purpose,
  purpose_en = '',
  description_en = '',
  tags,
  tags_en = [],
}: CatalogueService): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const add = (texts: readonly string[], weight: number): void => {
    for (const text of texts) if (text.length >= 2 && withoutWishes(text) !== '') terms.set(text, weight + (terms.get(text) ?? 0));
  };
  add([spaceless(name), ...description_en.toLowerCase().split(' ', 1)], 10);
  add(tags.map(spaceless), 2);
  add(
    tags_en.map((tag) => wordsOf(tag).join(' ')),
    2,
  );
  add(wordsOf(purpose), 1);
  add(wordsOf(purpose_en), 1);
  add(wordsOf(description_en.replace(/^\S+|\b(?:not|no|without) \w+/gi, '')), 1);
  return terms;
}

interface Said {
  readonly plain: string;
  readonly words: readonly string[];
}

/** True for a whole word, or for a longer Korean term in a compound. Short terms are too ambiguous inside other words. */
const isSaid = (term: string, { plain, words }: Said): boolean => {
  if (/^[a-z]/.test(term)) return ` ${words.join(' ')} `.includes(` ${term} `);
  if (term.length < 3) return words.includes(term);
  if (term.length > 3) return plain.includes(term);
  return words.some((word) => word.startsWith(term) && word.length !== term.length + 1);
};

const particle =
  /(?<=..)(?:이라는|에서|으로|까지|부터|이랑|하고|하는|하려고|하려면|하기|해서|해줘|할|해|을|를|은|는|이|가|의|와|과|도|로|에|랑)$/u;

const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[a-z]+|[가-힣0-9]+/gu) ?? [])
    .filter((word) => !common.has(word))
    .map((word) =>
      /^[a-z]/.test(word)
        ? word.replace(/(?:ings?|ed|es|s|e)$/, '').replace(/([b-df-hj-km-np-rtv-z])\1$/, '$1')
        : word.replace(particle, ''),
    )
    .filter((word) => word.length >= (/^[a-z]/.test(word) ? 3 : 2) && !common.has(word));

const spaceless = (text: string): string => text.toLowerCase().replaceAll(/\s+/gu, '');

const common = new Set(
  `about after also called explain automate best build cost costs launch much plan price publish run set start there up and any are best can could create do find for from get give have help how into its make makes making need needs one our own people
  service services something that the their them then this tool tools turn turns upload use used using want what when which will with without write writes you your plan
  work works 만들기 만들어 만들고 만드는 쓰고 보내기 쓰기 하기 넣기 찾기 제작 작성 정리 기획 준비 도구 서비스 작업 방법 싶어 뭐야 있어 있나요 알려줘 추천 추천해줘 얼마 얼마야 어떤 어디 주는 해주는 뭐가 뭔가 있을까`.split(
    /\s+/,
  ),
);
