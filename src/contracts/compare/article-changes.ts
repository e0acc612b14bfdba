import { bareText } from '../../core/text/quotes.ts';
import { redline } from '../../core/text/redline.ts';
import type { Article, ContractItem } from '../contract-document.ts';
import { bestAssignment } from './best-assignment.ts';
import { type ContractValue, type ContractValueType, comparableKey, contractValues } from './contract-values.ts';
import { type MaterialTopic, materialChanges } from './material-changes.ts';
import { coverage, similarity, type TokenVector, tokenVector } from './token-vector.ts';

/** A difference between an article and its counterpart in the standard contract. */
export type ArticleChange =
  /** The titles differ. */
  | { readonly kind: 'title'; readonly user: string; readonly standard: string }
  /** Amounts, percentages, dates, periods, times of day or counts that only one of the two articles has. */
  | {
      readonly kind: 'value';
      readonly type: ContractValueType;
      readonly user: readonly string[];
      readonly standard: readonly string[];
    }
  /**
   * `missing`: a paragraph or item that only the standard's article has, labelled like `②` or `② 3.`. `added`: one that only the user's
   * article has.
   */
  | { readonly kind: 'missing' | 'added'; readonly label: string; readonly text: string }
  /**
   * Words that change the meaning of the agreement: `없다` for `있다`, may for shall, another party, law, court, deadline, limit or condition,
   * or the opposite of a word (유상 for 무상, non-exclusive for exclusive). Each phrase includes the words around it.
   */
  | { readonly kind: 'material'; readonly topic: MaterialTopic; readonly user: readonly string[]; readonly standard: readonly string[] }
  /** The wording differs, and no other kind of change applies. */
  | { readonly kind: 'wording' };

const maxChanges = 20;
const maxTextLength = 200;
// below this similarity, two paragraphs count as unrelated
const alikeFrom = 0.4;
// from this coverage, a paragraph without a partner still counts as present: the other contract only divides it differently
const coveredFrom = 0.9;
// maximum product of the unit counts of both articles (paragraphs and items). Larger articles compare values and words only: pairing takes
// n² × m steps.
const maxUnitPairs = 200_000;

export interface ArticleTexts {
  readonly article: Article;
  /** The article's text; references use the article numbers of the other contract. */
  readonly text: string;
}

/** Returns the differences, the most important first. At most 20 changes, with texts of at most 200 characters. */
export function articleChanges(
  user: ArticleTexts,
  standard: ArticleTexts,
  renamed: ReadonlySet<string> = new Set(),
): readonly ArticleChange[] {
  const changes: ArticleChange[] = [];
  const titles = { user: user.article.title, standard: standard.article.title };
  if (bareText(titles.user) !== bareText(titles.standard)) changes.push({ kind: 'title', ...titles });
  if (bareText(user.text) === bareText(standard.text)) return changes;
  const before = changes.length;
  const alone = unitsAlone(user.article, standard.article);
  const material = materialChanges(redline(standard.text, user.text), {
    missing: alone.missing.map(({ text }) => text),
    added: alone.added.map(({ text }) => text),
    renamed,
  });
  changes.push(
    ...valueChanges(user.text, standard.text),
    ...material.map((change) => ({ kind: 'material' as const, ...change })),
    ...alone.missing.map((unit) => change('missing', unit)),
    ...alone.added.map((unit) => change('added', unit)),
  );
  if (changes.length === before) changes.push({ kind: 'wording' });
  return changes.slice(0, maxChanges);
}

function valueChanges(user: string, standard: string): readonly ArticleChange[] {
  const users = contractValues(user);
  const standards = contractValues(standard);
  const types: readonly ContractValueType[] = ['amount', 'percentage', 'period', 'date', 'time', 'number'];
  return types.flatMap((type) => {
    const of = (values: readonly ContractValue[]) => values.filter((value) => value.type === type);
    const onlyUser = without(of(users), of(standards));
    const onlyStandard = without(of(standards), of(users));
    return onlyUser.length + onlyStandard.length === 0 ? [] : [{ kind: 'value' as const, type, user: onlyUser, standard: onlyStandard }];
  });
}

function without(values: readonly ContractValue[], others: readonly ContractValue[]): readonly string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(comparableKey(other), (left.get(comparableKey(other)) ?? 0) + 1);
  return values
    .filter((value) => {
      const count = left.get(comparableKey(value)) ?? 0;
      left.set(comparableKey(value), count - 1);
      return count <= 0;
    })
    .map(({ text }) => text);
}

interface Unit {
  readonly label: string;
  readonly text: string;
  readonly plain: string;
  readonly vector: TokenVector;
}

interface UnitsAlone {
  readonly missing: readonly Unit[];
  readonly added: readonly Unit[];
}

function unitsAlone(user: Article, standard: Article): UnitsAlone {
  const users = unitsOf(user);
  const standards = unitsOf(standard);
  // for a rewritten text without divisions, the change is `wording`
  if ((standards.length === 1 && users.length === 1) || standards.length * users.length > maxUnitPairs) return { missing: [], added: [] };
  const scores = standards.map((one) =>
    users.map((other) => {
      const score = one.plain === other.plain ? 1 : similarity(one.vector, other.vector);
      return score >= alikeFrom ? score : 0;
    }),
  );
  const assigned = bestAssignment(scores, users.length);
  const taken = new Set(assigned);
  const inUser = tokenVector(user.text);
  const inStandard = tokenVector(standard.text);
  const isIn = (unit: Unit, whole: TokenVector): boolean => coverage(unit.vector, whole) >= coveredFrom;
  return {
    missing: standards.filter((unit, index) => assigned[index] === undefined && !isIn(unit, inUser)),
    added: users.filter((unit, index) => !taken.has(index) && !isIn(unit, inStandard)),
  };
}

const change = (kind: 'missing' | 'added', { label, text }: Unit): ArticleChange => ({
  kind,
  label,
  text: text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1)}…` : text,
});

/** Returns the text above an article's paragraphs and items, and each of them without its sub-items. */
function unitsOf(article: Article): readonly Unit[] {
  const units: Unit[] = [];
  const add = (label: string, text: string): void => {
    const bare = bareText(text);
    if (bare !== '') units.push({ label, text, plain: bare, vector: tokenVector(text) });
  };
  const addItems = (items: readonly ContractItem[], above: string): void => {
    for (const { label, text, subItems } of items) {
      const full = `${above} ${label}`.trim();
      add(full, text);
      addItems(subItems, full);
    }
  };
  add('', introOf(article));
  addItems(article.items, '');
  for (const { label, text, items } of article.paragraphs) {
    add(label, text);
    addItems(items, label);
  }
  return units;
}

function introOf({ text, paragraphs, items }: Article): string {
  const first = paragraphs[0] ?? items[0];
  if (!first) return text;
  const label = text.indexOf(first.label);
  const own = text.indexOf(first.text, Math.max(label, 0));
  return text.slice(0, label >= 0 && label <= own ? label : Math.max(own, 0)).trim();
}
