import { WorkflowError } from 'agent-machines';
import {
  type AnswerFinder,
  type ArticleIndex,
  type ArticleIndexOptions,
  type ContractComparison,
  type ContractDocument,
  createAnswerFinder,
  createArticleIndex,
} from 'agent-machines/contracts';
import { type CatalogueEntry, catalogueOf } from './several/catalogue.ts';

/** A contract that questions may be about. */
export interface ContractEntry {
  /** Id of the contract in a run. @default the document's name; among several contracts without its extension, if that is unique */
  readonly id?: string;
  readonly contract: ContractDocument;
  /** The standard contract for comparisons. Absent: nothing is compared. */
  readonly standard?: ContractDocument;
}

interface SearchableContract {
  readonly document: ContractDocument;
  readonly index: Pick<ArticleIndex, 'search'>;
}

/** An opened contract, which the tools search. */
export interface OpenContract {
  /** Name in answers and references. Absent for the only contract, and for one that the caller chose by its id. */
  readonly name?: string;
  readonly user: SearchableContract & { readonly finder: AnswerFinder };
  /** Indexed separately, because its articles are so similar to the user's that they would crowd them out. */
  readonly standard?: SearchableContract;
  /** Compared on the first call, then reused; `undefined` without a standard contract. */
  comparison(): Promise<ContractComparison | undefined>;
  /** Hash of the texts. */
  readonly hash: string;
}

/** Contracts of a question about more than one. */
export interface SeveralContracts {
  readonly names: readonly string[];
  readonly catalogue: readonly CatalogueEntry[];
  /** @throws {WorkflowError} `INPUT_INVALID` for an unknown name. */
  open(name: string): Promise<OpenContract>;
  /** Hash of the names and texts. */
  readonly hash: string;
}

export interface ContractLibrary {
  readonly ids: readonly string[];
  /** Titles and parties of all contracts, read once. */
  catalogue(): readonly CatalogueEntry[];
  /** Returns the id of a contract; also for the name of its document. */
  idOf(name: string): string | undefined;
  /** @throws {WorkflowError} `INPUT_INVALID` for an unknown id. */
  open(id: string): Promise<OpenContract>;
  /** Opens a contract with its name, so that answers name it. */
  openNamed(id: string): Promise<OpenContract>;
  several(ids: readonly string[]): Promise<SeveralContracts>;
}

/** Opens a contract at its first question, and keeps it open. */
export function createContractLibrary(entries: readonly ContractEntry[], options: ArticleIndexOptions = {}): ContractLibrary {
  const byId = withIds(entries);
  const isOne = byId.size === 1;
  const opened = new Map<string, Promise<OpenContract>>();
  const named = new Map<string, Promise<OpenContract>>();
  const hashes = new Map<string, Promise<string>>();
  let catalogue: readonly CatalogueEntry[] | undefined;
  const idOf = (name: string): string | undefined =>
    byId.has(name) ? name : [...byId].find(([, { id, contract }]) => id === undefined && contract.name === name)?.[0];
  const entryOf = (name: string): readonly [id: string, entry: ContractEntry] => {
    const id = idOf(name);
    const entry = id === undefined ? undefined : byId.get(id);
    if (id !== undefined && entry) return [id, entry];
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: `The contract ${JSON.stringify(name)} does not exist.`,
      hint: `There is: ${listed([...byId.keys()])}.`,
    });
  };
  const opening = async (
    id: string,
    known: Map<string, Promise<OpenContract>>,
    make: () => Promise<OpenContract>,
  ): Promise<OpenContract> => {
    const result = known.get(id) ?? make();
    known.set(id, result);
    result.catch(() => known.delete(id)); // retries after a failure, such as an unreachable embedder
    return result;
  };
  const open = async (name: string): Promise<OpenContract> => {
    const [id, entry] = entryOf(name);
    return opening(id, opened, () => openContract(entry, { options, isLazy: !isOne }));
  };
  const openNamed = async (name: string): Promise<OpenContract> => {
    const [id] = entryOf(name);
    return opening(id, named, async () => ({ ...(await open(id)), name: id }));
  };
  const readCatalogue = (): readonly CatalogueEntry[] => {
    catalogue ??= catalogueOf([...byId].map(([name, { contract }]) => ({ name, document: contract })));
    return catalogue;
  };
  const hash = (name: string): Promise<string> => {
    const [id, entry] = entryOf(name);
    const known = hashes.get(id) ?? hashOfEntry(entry);
    hashes.set(id, known);
    return known;
  };
  return {
    ids: [...byId.keys()],
    catalogue: readCatalogue,
    idOf,
    open,
    openNamed,
    async several(ids) {
      const names = ids.map((id) => entryOf(id)[0]);
      const texts = await Promise.all(names.map(async (name) => `${name} ${await hash(name)}`));
      const wanted = new Set(names);
      return {
        names,
        catalogue: readCatalogue().filter(({ name }) => wanted.has(name)),
        open: openNamed,
        hash: await hashOf(texts.join('\n')),
      };
    },
  };
}

const maxListed = 20;

/** Joins names for a message; of many, the first ones. */
export const listed = (names: readonly string[], join = ', '): string =>
  names.length > maxListed ? `${names.slice(0, maxListed).join(join)} and ${names.length - maxListed} more` : names.join(join);

/** Id of each entry: its own, or its document's name; among several without the extension, unless that names two. */
function withIds(entries: readonly ContractEntry[]): ReadonlyMap<string, ContractEntry> {
  const bare = ({ id, contract }: ContractEntry): string =>
    id ?? (entries.length === 1 ? contract.name : contract.name.replace(/(?<=[^/\\])\.[A-Za-z]{2,8}$/u, ''));
  const count = new Map<string, number>();
  for (const entry of entries) count.set(bare(entry), (count.get(bare(entry)) ?? 0) + 1);
  const byId = new Map<string, ContractEntry>();
  for (const entry of entries) {
    const id = entry.id ?? ((count.get(bare(entry)) ?? 0) > 1 ? entry.contract.name : bare(entry));
    if (byId.has(id)) {
      throw new WorkflowError({
        code: 'OPTION_INVALID',
        message: `Two contracts have the id ${JSON.stringify(id)}.`,
        hint: 'Use a different id for each contract.',
      });
    }
    byId.set(id, entry);
  }
  return byId;
}

interface OpenOptions {
  readonly options: ArticleIndexOptions;
  /** True indexes the articles at the first search. */
  readonly isLazy: boolean;
}

async function openContract({ contract, standard }: ContractEntry, { options, isLazy }: OpenOptions): Promise<OpenContract> {
  const searchable = async (document: ContractDocument): Promise<SearchableContract> => {
    const index = (): Promise<ArticleIndex> => createArticleIndex([document], options);
    return { document, index: isLazy ? lazyIndex(index) : await index() };
  };
  const user = { ...(await searchable(contract)), finder: await createAnswerFinder(contract) };
  const other = standard && (await searchable(standard));
  let comparing: Promise<ContractComparison> | undefined;
  return {
    user,
    ...(other ? { standard: other } : {}),
    async comparison() {
      if (!standard) return undefined;
      comparing ??= import('./compare-contracts.ts').then(({ compareContracts }) => compareContracts(contract, standard));
      comparing.catch(() => {
        comparing = undefined; // retries a failed load the next time
      });
      return comparing;
    },
    hash: await hashOfEntry({ contract, ...(standard ? { standard } : {}) }),
  };
}

/** Indexes the articles of one of several contracts at its first search: questions over all of them need no index. */
function lazyIndex(create: () => Promise<ArticleIndex>): Pick<ArticleIndex, 'search'> {
  let making: Promise<ArticleIndex> | undefined;
  return {
    async search(question, options) {
      making ??= create();
      making.catch(() => {
        making = undefined; // retries after a failure, such as an unreachable embedder
      });
      return (await making).search(question, options);
    },
  };
}

const hashOfEntry = ({ contract, standard }: ContractEntry): Promise<string> => hashOf(`${contract.text}\u0000${standard?.text ?? ''}`);

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
