import { loadContract } from '../contracts/node/load-contract.ts';
import { columnsOf, escapeControls, oneLine, paint, print, printableJson, table } from './terminal.ts';

/** The articles of a contract: as a table with what is odd about them on standard error, or as one array of JSON. */
export async function printArticles(path: string, json: boolean): Promise<void> {
  const { title, articles, warnings } = await loadContract(path);
  if (json) {
    print(
      printableJson(
        articles.map(({ label, part, title: name, deleted, text }) => ({ label, part, title: name, deleted, text })),
        2,
      ),
    );
    return;
  }
  print(escapeControls(`${title}: ${articles.length} ${articles.length === 1 ? 'article' : 'articles'}`));
  const rows = articles.map(({ label, part, title: name, deleted, chapter, text }) => [
    label,
    part,
    oneLine(deleted ? '(deleted)' : name, 40),
    oneLine(chapter, 30),
    oneLine(text.slice(0, 200)),
  ]);
  if (rows.length > 0) print(table([['LABEL', 'PART', 'TITLE', 'CHAPTER', 'TEXT'], ...rows], columnsOf(process.stdout)));
  for (const { code, message } of warnings) process.stderr.write(`${paint('yellow', '!')} ${code}: ${escapeControls(message)}\n`);
}
