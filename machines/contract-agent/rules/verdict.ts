import type { ContractVerdict } from 'agent-machines/contracts';
import type { QuestionInput } from '../rule-inputs.ts';
import type { CollectedArticle } from '../state.ts';

/** True if found by number or title, not by a search. */
const isLookedUp = ({ via }: CollectedArticle): boolean => !['hybrid_search', 'wording', 'exception', 'last_turn'].includes(via);

/**
 * Returns whether the contract answers the question. The wording decides; a look-up by label decides by the existence of the place. An
 * article that only has the requested title counts as `nearest`. So does a text that no evaluation found sufficient.
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

/**
 * Returns the verdict after an answer. A proven answer, which quotes the contract word for word and has no wrong citation, raises it: to
 * `answer` if the evaluation found enough, otherwise to `nearest`. So does a named article that was read, to `nearest`.
 */
export function verdictAfter(
  state: QuestionInput,
  { isProven, hasSources }: { readonly isProven: boolean; readonly hasSources: boolean },
): ContractVerdict | null {
  const verdict = verdictOf(state);
  const last = state.decisionLog.at(-1);
  if (isProven && verdict !== null && last?.by === 'model' && last.action === 'finish') return 'answer';
  return verdict === 'silent' && (isProven || hasSources) ? 'nearest' : verdict;
}
