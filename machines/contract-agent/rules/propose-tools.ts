import { findParts } from 'agent-machines/contracts';
import type { OpenContract, SeveralContracts } from '../contract-library.ts';
import type { Hint } from '../prompts.ts';
import { asksEach, asksForCatalogue, withoutEach } from '../several/asks-each.ts';
import { askEachTool } from '../several/several-tools.ts';
import { titlesIn } from '../tools/article-labels.ts';
import { placesIn, placeText } from './places.ts';
import { surveyOf } from './survey.ts';

/** Number of contracts in which a place is looked up that the question names without its contract. */
const maxHolders = 5;

/** Returns hints for the planner from a question over several contracts: to ask each, or to read the place that it names. */
export function proposeForSeveral(question: string, { catalogue }: SeveralContracts): readonly Hint[] {
  if (asksForCatalogue(question)) return [];
  if (asksEach(question)) return [{ tool: askEachTool, args: { question: withoutEach(question).slice(0, maxQuestionChars) } }];
  const holders = catalogue.flatMap(({ name, document }) => {
    const numbers = placesIn(question, document).filter((place) => findParts(document, place).found.length > 0);
    return numbers.length === 0 ? [] : [{ contract: name, article_numbers: [...new Set(numbers.map(placeText))], exhibit_numbers: [] }];
  });
  return holders.slice(0, maxHolders).map((args) => ({ tool: 'get_article_by_index', args }));
}

const maxQuestionChars = 500;

/** Returns hints for the planner from the question itself: places, whole titles, a list of something. Hints trigger no call. */
export function proposeTools(question: string, { user }: OpenContract): readonly Hint[] {
  const places = placesIn(question, user.document);
  const survey = surveyOf(question, places);
  if (survey) return [{ tool: 'survey_contract', args: { ...survey } }];
  const isExhibit = ({ heading, path, within }: (typeof places)[number]): boolean =>
    heading.kind === 'exhibit' && path.length === 0 && within === undefined;
  const article_numbers = [...new Set(places.filter((place) => !isExhibit(place)).map(placeText))];
  const exhibit_numbers = [...new Set(places.filter(isExhibit).map(placeText))];
  const titles = [...new Set(titlesIn(user.document, question).map(({ title }) => title))];
  return [
    ...(places.length > 0 ? [{ tool: 'get_article_by_index', args: { article_numbers, exhibit_numbers } }] : []),
    ...(titles.length > 0 ? [{ tool: 'get_article_by_title', args: { titles } }] : []),
  ];
}
