import type { OpenContract } from '../contract-library.ts';
import type { Hint } from '../prompts.ts';
import { titlesIn } from '../tools/article-labels.ts';
import { placesIn, placeText } from './places.ts';
import { surveyOf } from './survey.ts';

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
