import type { GuardExchange, TextGuard } from '../../core/ports/text-guard.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { checkSources } from '../answers/check-sources.ts';

export interface RequireCitationsOptions {
  /** Returns true if an answer to this request needs a citation. Default: once a tool has answered in this turn. */
  readonly when?: (exchange: GuardExchange) => boolean;
  /** @default 'stop' */
  readonly verdict?: 'stop' | 'hold';
  /** @default 'require-citations' */
  readonly name?: string;
}

/**
 * Guard of answers that must show where they come from. An answer needs a quotation, the name of a document or a URL that occurs in a
 * message which the model has not written, and none that does not.
 *
 * @example toolAgent({ model, tools: [searchDocuments], guards: [requireCitations()] })
 */
export const requireCitations = ({
  when = toolsHaveAnswered,
  verdict = 'stop',
  name = 'require-citations',
}: RequireCitationsOptions = {}): TextGuard => ({
  name,
  at: ['answer'],
  check(text, { exchange, part }) {
    if (part !== 'final' || !exchange || !when(exchange)) return { as: 'pass' };
    const answer = stringsOf(text);
    const sources = exchange.messages.flatMap(({ role, content }) => (role === 'assistant' ? [] : [{ name: '', text: content }]));
    const cited = [
      ...checkSources(answer, { sources }).map(({ status }) => status === 'supported'),
      ...urlsOf(answer).map((url) => sources.some((source) => urlsOf(source.text).includes(url))),
    ];
    if (cited.length === 0) return { as: verdict, reason: 'no citation' };
    const wrong = cited.filter((isTrue) => !isTrue).length;
    return wrong === 0 ? { as: 'pass' } : { as: verdict, reason: `${wrong} of ${cited.length} citations are in no source` };
  },
});

const toolsHaveAnswered = ({ messages }: GuardExchange): boolean =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1).some(({ role }) => role === 'tool');

const urlsOf = (text: string): readonly string[] =>
  (text.match(/https?:\/\/[^\s<>"'`)\]}\\]+/gi) ?? []).map((url) => url.replace(/[.,;:!?*_~]+$/, ''));

/** Texts of an answer in JSON, whose quotation marks are no quotations. */
function stringsOf(text: string): string {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return text;
  const strings: string[] = [];
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') strings.push(member);
    return member;
  });
  return strings.join('\n');
}
