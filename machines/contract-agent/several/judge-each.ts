import type { ContractVerdict, FoundAnswer } from 'agent-machines/contracts';
import type { SeveralContracts } from '../contract-library.ts';

/** Verdict of one of several contracts on a question. */
export interface JudgedContract {
  readonly name: string;
  readonly verdict: ContractVerdict;
  readonly lookedFor: readonly string[];
  /** Best first. */
  readonly passages: FoundAnswer['passages'];
  readonly joined: FoundAnswer['joined'];
}

/** Number of contracts between pauses, in which other work of the process proceeds. */
const atOnce = 10;

/** Judges each contract by its wording, in their order. One contract takes a few milliseconds. */
export async function judgeEach(question: string, contracts: SeveralContracts, signal?: AbortSignal): Promise<readonly JudgedContract[]> {
  const judged: JudgedContract[] = [];
  for (const [index, name] of contracts.names.entries()) {
    if (index % atOnce === atOnce - 1) await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    const { verdict, lookedFor, passages, joined } = (await contracts.open(name)).user.finder.find(question);
    judged.push({ name, verdict, lookedFor, passages, joined });
  }
  return judged;
}

const rank = { answer: 2, nearest: 1, silent: 0 } as const;

/** Orders contracts that say something: settled ones first, then by their best passage. */
export const bestJudged = (judged: readonly JudgedContract[]): readonly JudgedContract[] =>
  judged
    .filter(({ passages }) => passages.length > 0)
    .toSorted((one, other) => rank[other.verdict] - rank[one.verdict] || (other.passages[0]?.score ?? 0) - (one.passages[0]?.score ?? 0));
