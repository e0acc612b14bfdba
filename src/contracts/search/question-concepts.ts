import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { askedWords } from './asked-words.ts';
import type { QuestionConcept } from './concept-match.ts';
import { koreanWords } from './korean-words.ts';
import { synonymsOf } from './synonyms.ts';
import { wordRarity } from './word-rarity.ts';

/** Maximum number of words; a longer question counts with its first ones only. */
const maxConcepts = 40;

/** Returns the topical words of a question, each once. Returns nothing for `How long is it?` */
export const questionConcepts = (question: string, tokenizer: Tokenizer = searchTokens): readonly QuestionConcept[] => {
  const tokensOf = (word: string): readonly string[] => [...new Set(tokenizer(word))];
  return [...new Map(askedWords(question).map((word) => [word.forms.join(' '), word])).values()]
    .slice(0, maxConcepts)
    .map(({ forms }) => ({
      word: forms.at(-1) ?? '',
      rarity: Math.min(...forms.map(wordRarity)),
      own: forms.map(tokensOf).filter(({ length }) => length > 0),
      related: [...new Set(forms.flatMap((form) => [...synonymsOf(form), ...koreanWords(form)]))].map(tokensOf),
    }))
    .filter(({ own }) => own.length > 0);
};
