import { contractFormats } from '../contracts/node/index.ts';
import type { TextDocument } from '../search/documents/index.ts';
import { folderDocuments } from '../search/documents/index.ts';
import { oneLine } from './terminal.ts';

/** Reads every document of a folder, and reports unreadable ones on standard error. */
export async function readDocuments(root: string): Promise<readonly TextDocument[]> {
  const { documents, skipped } = await folderDocuments({
    root,
    include: ['.'],
    extensions: ['.md', '.mdx', '.markdown', '.txt', '.json', '.docx', '.pdf', '.odt', '.hwpx', '.rtf', '.html', '.htm'],
    formats: contractFormats,
    maxFileBytes: 20_000_000,
  });
  for (const { name, reason } of skipped) process.stderr.write(`${oneLine(`${name} is not read: ${reason}.`)}\n`);
  for (const { name, notices = [] } of documents) for (const notice of notices) process.stderr.write(`${oneLine(`${name}: ${notice}`)}\n`);
  return documents;
}
