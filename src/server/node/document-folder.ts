import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type ContractDocument, compareContracts, contractFacts } from '../../contracts/index.ts';
import { loadContract } from '../../contracts/node/load-contract.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { asJson } from '../../core/util/as-json.ts';
import { newId } from '../../core/util/ids.ts';
import type { DocumentDetails, DocumentSummary } from '../api/calls.ts';
import type { DocumentShelf } from '../http/document-library.ts';

/** A document shelf in a folder. */
export interface DocumentFolder extends DocumentShelf {
  /** Path of a document, for a workflow that reads it; `undefined` for an unknown id. */
  pathOf(id: string): Promise<string | undefined>;
}

export interface DocumentFolderOptions {
  /** Created with the first document. Each document gets its own subfolder. */
  readonly folder: string;
  /** Document to compare others with. Default: none. */
  readonly standard?: string | undefined;
}

const maxFileNameBytes = 255;

/** Stores documents in a folder and reads them as contracts. */
export function documentFolder({ folder, standard }: DocumentFolderOptions): DocumentFolder {
  const pathOf = async (id: string): Promise<string | undefined> => {
    if (!/^d_\w{1,32}$/.test(id)) return undefined;
    const [name] = await readdir(join(folder, id)).catch(() => []);
    return name === undefined ? undefined : join(folder, id, name);
  };
  const load = async (id: string): Promise<ContractDocument | undefined> => {
    const path = await pathOf(id);
    return path === undefined ? undefined : loadContract(path);
  };
  /** Cache of summaries: a document never changes, and reading one is slow. */
  const known = new Map<string, DocumentSummary>();
  const summaryOf = async (id: string): Promise<DocumentSummary | undefined> => {
    const path = await pathOf(id);
    if (path === undefined) return undefined; // another process may have removed it
    const found = known.get(id);
    if (found) return found;
    const { name, title } = await loadContract(path);
    const summary = { id, name, title, addedAt: Math.round((await stat(path)).mtimeMs) };
    known.set(id, summary);
    return summary;
  };
  return {
    pathOf,
    async add({ name, bytes }) {
      const id = newId('d');
      await mkdir(join(folder, id), { recursive: true, mode: 0o700 });
      const path = join(folder, id, fitting(name));
      try {
        await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
        const document = await loadContract(path);
        const { mtimeMs } = await stat(path);
        const { name: shown, title } = document;
        known.set(id, { id, name: shown, title, addedAt: Math.round(mtimeMs) });
        return toDetails(id, document, Math.round(mtimeMs));
      } catch (cause) {
        await rm(join(folder, id), { recursive: true, force: true });
        throw cause;
      }
    },
    async sizeBytes() {
      const ids = await readdir(folder).catch(() => []);
      const paths = await Promise.all(ids.map(pathOf));
      const sizes = await Promise.all(paths.flatMap((path) => (path === undefined ? [] : [stat(path).catch(() => undefined)])));
      return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
    },
    async list() {
      const ids = await readdir(folder).catch(() => []);
      const found = await Promise.all(ids.map((id) => summaryOf(id).catch(() => undefined)));
      return found.flatMap((one) => one ?? []).sort((a, b) => b.addedAt - a.addedAt);
    },
    async get(id) {
      const [summary, document] = [await summaryOf(id), await load(id)];
      return summary && document ? { ...toDetails(id, document, summary.addedAt), text: document.text } : undefined;
    },
    async compare(id, other) {
      const otherPath = other === 'standard' ? standard : await pathOf(other);
      const document = await load(id);
      if (!document || otherPath === undefined) return undefined;
      return compareContracts(document, await loadContract(otherPath));
    },
    async remove(id) {
      if ((await pathOf(id)) === undefined) return false;
      await rm(join(folder, id), { recursive: true, force: true });
      known.delete(id);
      return true;
    },
  };
}

/** File systems limit names to 255 bytes, which is 85 Korean characters. The extension stays, because it names the file type. */
function fitting(name: string): string {
  const end = extname(name);
  const characters = [...name.slice(0, name.length - end.length)];
  while (Buffer.byteLength(characters.join('') + end) > maxFileNameBytes && characters.length > 0) characters.pop();
  return characters.join('') + end;
}

function toDetails(id: string, document: ContractDocument, addedAt: number): DocumentDetails {
  const { name, title, parts, warnings } = document;
  return {
    id,
    name,
    title,
    addedAt,
    outline: parts.map((one) => {
      const { id: partId, part, label, title: heading, chapter, deleted, start, end } = one;
      return { id: partId, part, label, title: heading, chapter, deleted, start, end };
    }),
    notices: warnings.map(({ code, message, articleId }) => ({ code, message, ...(articleId === undefined ? {} : { partId: articleId }) })),
    facts: asJson(contractFacts(document)) as JsonObject,
  };
}
