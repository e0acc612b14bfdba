import { isKorean } from '../../core/text/is-korean.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import type { QuestionConcept } from './concept-match.ts';
import type { IndexedContract } from './indexed-contract.ts';
import { isContents } from './score-passages.ts';

/** Minimum rarity of a telling noun; see `wordRarity`. */
const minRarity = 3;
/** A telling noun stands in at most this many passages, or this share of them. */
const maxHolders = { passages: 3, share: 0.08 };

/** Words in front of an English verb. `May we paint the front?` has one noun. */
const beforeVerb = new Set('to i we you he she it they who anyone someone nobody not never please'.split(' '));
const koreanParticle = '(?:들?(?:[은는이가을를에의도과와로만]|으로|에서|까지|부터|마다|이나|하고|[,.)·]|\\s|$))';

/**
 * Returns the places of the passages that contain a telling noun of the question: one that contracts rarely use, and that stands in few of
 * these passages. Such a passage is worth showing, even if nothing else of the question is there.
 *
 * @example holdersOfTellingNouns('간판 달아도 돼?', { concepts, contract }) // those with 간판
 */
export function holdersOfTellingNouns(
  question: string,
  { concepts, contract }: { readonly concepts: readonly QuestionConcept[]; readonly contract: IndexedContract },
): ReadonlySet<number> {
  const { passages } = contract;
  const most = Math.max(maxHolders.passages, Math.floor(passages.length * maxHolders.share));
  const words = question.toLowerCase().split(/[^\p{L}\p{M}\p{N}'’-]+/u);
  const found = new Set<number>();
  for (const { word, rarity } of concepts) {
    if (rarity < minRarity || /\d/u.test(word)) continue;
    const holding = isKorean(word) ? koreanHolders(word, contract) : englishHolders(word, words, contract);
    const holders = holding.filter((place) => {
      const passage = passages[place];
      return passage !== undefined && !isContents(passage);
    });
    if (holders.length <= most) for (const place of holders) found.add(place);
  }
  return found;
}

/** A Korean noun begins a word. One syllable, such as 컵, must be a word with at most a particle. */
function koreanHolders(word: string, { passages, words }: IndexedContract): readonly number[] {
  const noun = word.replace(/[^가-힣A-Za-z]/gu, '');
  const pattern = new RegExp(`(?<![가-힣])${noun}${word.length === 1 ? koreanParticle : ''}`, 'u');
  const pairs = /^[가-힣]{2,}$/u.test(noun) ? searchTokens(noun) : [];
  const places = pairs.length > 0 ? words.places(pairs[0] ?? '') : [...passages.keys()];
  return places.filter((place) => pattern.test(passages[place]?.text ?? ''));
}

function englishHolders(word: string, words: readonly string[], contract: IndexedContract): readonly number[] {
  if (beforeVerb.has(words[words.indexOf(word.toLowerCase()) - 1] ?? '')) return [];
  const { articleOf, passages } = contract;
  const tokens = searchTokens(word).map((token) => ({
    text: new Set(contract.words.places(token)),
    title: new Set(contract.titles.places(token)),
  }));
  if (tokens.some(({ text, title }) => text.size + title.size === 0)) return [];
  return [...passages.keys()].filter((place) => tokens.every(({ text, title }) => text.has(place) || title.has(articleOf[place] ?? 0)));
}
