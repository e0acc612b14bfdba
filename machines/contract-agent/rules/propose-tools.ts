import type { OpenContract } from '../contract-library.ts';
import type { Hint } from '../prompts.ts';
import { titlesIn } from '../tools/article-labels.ts';
import { readMentions } from './mentions.ts';

/** What a question names itself: numbers, exhibits and whole titles. Hints for the planner; nothing is called because of them. */
export function proposeTools(question: string, { user }: OpenContract): readonly Hint[] {
  const { articleNumbers, exhibitNumbers } = readMentions(question);
  const titles = [...new Set(titlesIn(user.document, question).map(({ title }) => title))];
  return [
    ...(articleNumbers.length + exhibitNumbers.length > 0
      ? [{ tool: 'get_article_by_index', args: { article_numbers: articleNumbers, exhibit_numbers: exhibitNumbers } }]
      : []),
    ...(titles.length > 0 ? [{ tool: 'get_article_by_title', args: { titles } }] : []),
  ];
}
