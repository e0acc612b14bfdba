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

/** A contract that questions may be about. */
export interface ContractEntry {
  /** Id of the contract in a run. @default the document's name */
  readonly id?: string;
  readonly contract: ContractDocument;
  /** The standard contract for comparisons. Absent: nothing is compared. */
  readonly standard?: ContractDocument;
}

interface SearchableContract {
  readonly document: ContractDocument;
  readonly index: ArticleIndex;
}

/** An opened contract, which the tools search. */
export interface OpenContract {
  readonly user: SearchableContract & { readonly finder: AnswerFinder };
  /** Indexed separately, because its articles are so similar to the user's that they would crowd them out. */
  readonly standard?: SearchableContract;
  /** Compared on the first call, then reused; `undefined` without a standard contract. */
  comparison(): Promise<ContractComparison | undefined>;
  /** Hash of the texts. */
  readonly hash: string;
}

export interface ContractLibrary {
  readonly ids: readonly string[];
  /** @throws {WorkflowError} `INPUT_INVALID` for an unknown id. */
  open(id: string): Promise<OpenContract>;
}

/** Opens a contract at its first question, and keeps it open. */
export function createContractLibrary(entries: readonly ContractEntry[], options: ArticleIndexOptions = {}): ContractLibrary {
  const byId = new Map<string, ContractEntry>();
  for (const entry of entries) {
    const id = entry.id ?? entry.contract.name;
    if (byId.has(id)) {
      throw new WorkflowError({
        code: 'OPTION_INVALID',
        message: `Two contracts have the id ${JSON.stringify(id)}.`,
        hint: 'Use a different id for each contract.',
      });
    }
    byId.set(id, entry);
  }
  const opened = new Map<string, Promise<OpenContract>>();
  return {
    ids: [...byId.keys()],
    async open(id) {
      const known = opened.get(id);
      if (known) return known;
      const entry = byId.get(id);
      if (!entry) {
        throw new WorkflowError({
          code: 'INPUT_INVALID',
          message: `The contract ${JSON.stringify(id)} does not exist.`,
          hint: `There is: ${[...byId.keys()].join(', ')}.`,
        });
      }
      const opening = openContract(entry, options);
      opened.set(id, opening);
      opening.catch(() => opened.delete(id)); // retries after a failure, such as an unreachable embedder
      return opening;
    },
  };
}

async function openContract({ contract, standard }: ContractEntry, options: ArticleIndexOptions): Promise<OpenContract> {
  const searchable = async (document: ContractDocument): Promise<SearchableContract> => ({
    document,
    index: await createArticleIndex([document], options),
  });
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
    hash: await hashOf(`${contract.text}\u0000${standard?.text ?? ''}`),
  };
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
