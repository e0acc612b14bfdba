import type { ContractWarning } from '../contracts/contract-document.ts';
import { loadContract } from '../contracts/node/load-contract.ts';
import { columnsOf, escapeControls, oneLine, paint, print, printableJson, table } from './terminal.ts';

/**
 * Prints the articles of a contract, or the paragraphs of a document without recognized structure. Output is a table, with anomalies on
 * standard error, or one JSON array.
 */
export async function printArticles(path: string, json: boolean): Promise<void> {
  const { title, articles, parts, structure, warnings } = await loadContract(path);
  const shown = structure === 'articles' ? articles : parts;
  if (json) {
    print(
      printableJson(
        shown.map(({ label, part, title: name, deleted, text }) => ({ label, part, title: name, deleted, text })),
        2,
      ),
    );
    if (structure === 'paragraphs') printWarnings(warnings);
    return;
  }
  const kind = structure === 'articles' ? 'article' : 'paragraph';
  const unread = structure === 'articles' ? '' : ', no articles: its structure was not read';
  print(escapeControls(`${title}: ${shown.length} ${kind}${shown.length === 1 ? '' : 's'}${unread}`));
  const rows = shown.map(({ label, part, title: name, deleted, chapter, text }) => [
    label,
    part,
    oneLine(deleted ? '(deleted)' : name, 40),
    oneLine(chapter, 30),
    oneLine(text.slice(0, 200)),
  ]);
  if (rows.length > 0) print(table([['LABEL', 'PART', 'TITLE', 'CHAPTER', 'TEXT'], ...rows], columnsOf(process.stdout)));
  printWarnings(warnings);
}

function printWarnings(warnings: readonly ContractWarning[]): void {
  for (const { code, message } of warnings) process.stderr.write(`${paint('yellow', '!')} ${code}: ${escapeControls(message)}\n`);
}
