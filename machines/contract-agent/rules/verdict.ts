import type { ContractVerdict } from 'agent-machines/contracts';
import type { QuestionInput } from '../rule-inputs.ts';
import type { CollectedArticle } from '../state.ts';

/** Looked up by its number or its title, not searched for. */
const isLookedUp = ({ via }: CollectedArticle): boolean => via !== 'hybrid_search' && via !== 'wording' && via !== 'last_turn';

/**
 * Whether the contract answers: by its wording, and for what was looked up by its label, by whether it is there. An article that only has
 * the title that was asked for may not be it, and what an evaluation never found to be enough does not answer.
 */
export function verdictOf({ wording, collectedInfo, findings, decisionLog }: QuestionInput): ContractVerdict | null {
  const isThere = collectedInfo.some(isLookedUp);
  if (wording === null) {
    if (isThere) return 'answer';
    return findings.some(({ kind }) => kind === 'not_found') ? 'silent' : null;
  }
  if (wording.verdict === 'silent') return isThere ? 'nearest' : 'silent';
  const wasNeverEnough =
    decisionLog.at(-1)?.by === 'limit' && decisionLog.some(({ by, action }) => by === 'model' && action === 'continue');
  return wasNeverEnough ? 'nearest' : wording.verdict;
}
