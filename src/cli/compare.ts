import { styleText } from 'node:util';
import { type Article, type ArticleChange, type ArticlePair, compareContracts } from '../contracts/index.ts';
import { loadContract } from '../contracts/node/load-contract.ts';
import { printRedline, type RedlinePart } from '../core/text/index.ts';
import { escapeControls, oneLine, print, printableJson } from './terminal.ts';

const contextChars = 60;

/** Compares a contract with the standard one. Prints the differences in words and as a redline, or as one JSON object. */
export async function printComparison(path: string, standardPath: string, json: boolean): Promise<void> {
  const [user, standard] = [await loadContract(path), await loadContract(standardPath)];
  const comparison = compareContracts(user, standard);
  if (json) {
    print(printableJson(comparison, 2));
    return;
  }
  const { pairs, missing, added } = comparison;
  const changed = pairs.filter(({ difference }) => difference === 'changed');
  const moved = pairs.filter((pair) => pair.moved && pair.difference === 'same');
  const counts = [
    `${changed.length} changed`,
    `${missing.length} missing`,
    `${added.length} added`,
    `${pairs.filter((pair) => pair.moved).length} moved`,
  ];
  print(escapeControls(`${user.title} beside ${standard.title}: ${counts.join(', ')}`));
  const byId = (articles: readonly Article[]): ReadonlyMap<string, Article> => new Map(articles.map((article) => [article.id, article]));
  const [users, standards] = [byId(user.articles), byId(standard.articles)];
  const headingOf = ({ userId, standardId, renumbered, moved }: ArticlePair): string => {
    const other = renumbered ? `  (standard: ${nameOf(standards.get(standardId))})` : '';
    return `${nameOf(users.get(userId))}${other}${moved ? '  moved' : ''}`;
  };
  const mark = markOf();
  for (const pair of changed) {
    print(`\n${headingOf(pair)}`);
    for (const change of pair.changes) print(`  ${oneLine(describeChange(change))}`);
    const parts = (pair.redline ?? []).map(({ kind, text }) => ({ kind, text: escapeControls(text) }));
    const wording = printRedline(parts, { contextChars, mark }).trim();
    for (const line of wording.split('\n')) if (line.trim() !== '') print(`    ${line.trim()}`);
  }
  const list = (heading: string, names: readonly string[]): void => {
    if (names.length > 0) print(`\n${heading}\n${names.map((name) => `  ${name}`).join('\n')}`);
  };
  list('Only in the standard:', missing.map(nameOf));
  list('Only here:', added.map(nameOf));
  list('Moved, text unchanged:', moved.map(headingOf));
}

const nameOf = (article: Pick<Article, 'label' | 'title'> | undefined): string =>
  oneLine([article?.label, article?.title].filter(Boolean).join(' '));

const describeChange = (change: ArticleChange): string => {
  const versus = (standard: string, user: string): string => `${standard || '–'} → ${user || '–'}`;
  switch (change.kind) {
    case 'title':
      return `title: ${versus(change.standard, change.user)}`;
    case 'value':
      return `${change.type}: ${versus(change.standard.join(', '), change.user.join(', '))}`;
    case 'material':
      return `${change.topic}: ${versus(change.standard.join(' | '), change.user.join(' | '))}`;
    case 'wording':
      return 'wording';
    default:
      return `${change.kind}: ${change.label} ${change.text.slice(0, 80)}`;
  }
};

/** Marks changes with colours if the terminal supports them, else with `[-…-]` and `{+…+}`. */
function markOf(): (part: RedlinePart) => string {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string => styleText(style, text, { stream: process.stdout });
  const hasColour = paint('red', ' ') !== ' ';
  return ({ kind, text }) => {
    if (kind === 'deleted') return hasColour ? paint(['red', 'strikethrough'], text) : `[-${text}-]`;
    return hasColour ? paint(['green', 'underline'], text) : `{+${text}+}`;
  };
}
