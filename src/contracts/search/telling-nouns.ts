import { isKorean } from '../../core/text/is-korean.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import type { QuestionConcept } from './concept-match.ts';
import type { SettlingPassage } from './score-passages.ts';

/** Minimum rarity of a telling noun; see `wordRarity`. */
const minRarity = 3;
/** A telling noun stands in at most this many passages, or this share of them. */
const maxHolders = { passages: 3, share: 0.08 };

/** Words in front of an English verb. `May we paint the front?` has one noun. */
const beforeVerb = new Set('to i we you he she it they who anyone someone nobody not never please'.split(' '));
const koreanParticle = '(?:들?(?:[은는이가을를에의도과와로만]|으로|에서|까지|부터|마다|이나|하고|[,.)·]|\\s|$))';

/**
 * Returns the passages that contain a telling noun of the question: one that contracts rarely use, and that stands in few of these passages.
 * Such a passage is worth showing, even if nothing else of the question is there.
 *
 * @example holdersOfTellingNouns('간판 달아도 돼?', passages) // those with 간판
 */
export function holdersOfTellingNouns(
  question: string,
  { concepts, passages }: { readonly concepts: readonly QuestionConcept[]; readonly passages: readonly SettlingPassage[] },
): ReadonlySet<SettlingPassage['passage']> {
  const most = Math.max(maxHolders.passages, Math.floor(passages.length * maxHolders.share));
  const words = question.toLowerCase().split(/[^\p{L}\p{M}\p{N}'’-]+/u);
  const found = new Set<SettlingPassage['passage']>();
  for (const { word, rarity } of concepts) {
    if (rarity < minRarity || /\d/u.test(word)) continue;
    const holds = isKorean(word) ? koreanHolds(word) : englishHolds(word, words);
    const holders = holds === undefined ? [] : passages.filter(holds);
    if (holders.length <= most) for (const { passage } of holders) found.add(passage);
  }
  return found;
}

type Holds = (passage: SettlingPassage) => boolean;

/** A Korean noun begins a word. One syllable, such as 컵, must be a word with at most a particle. */
function koreanHolds(word: string): Holds {
  const pattern = new RegExp(`(?<![가-힣])${word.replace(/[^가-힣A-Za-z]/gu, '')}${word.length === 1 ? koreanParticle : ''}`, 'u');
  return ({ passage }) => pattern.test(passage.text);
}

function englishHolds(word: string, words: readonly string[]): Holds | undefined {
  if (beforeVerb.has(words[words.indexOf(word.toLowerCase()) - 1] ?? '')) return undefined;
  const tokens = searchTokens(word);
  return ({ tokens: own, title }) => tokens.every((token) => own.has(token) || title.has(token));
}
