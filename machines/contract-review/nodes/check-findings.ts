import type { NodeHandler } from 'agent-machines';
import { addFindings, parseContract } from 'agent-machines/contracts';
import type { ContractReviewState } from '../state.ts';

/** Adds the findings of the model that the contract supports, and counts the others. */
export const checkFindings =
  (): NodeHandler<ContractReviewState> =>
  async ({ contract, review, proposed }) => {
    if (review === null) return {};
    const { review: checked, added, dropped } = addFindings(parseContract(contract), review, proposed);
    const notes = dropped === 0 ? checked.notes : [...checked.notes, droppedNote(dropped, checked.language === 'ko')];
    return { review: { ...checked, notes }, added, dropped };
  };

const droppedNote = (count: number, korean: boolean): string =>
  korean
    ? `모델이 제시한 ${count}개 항목은 계약서에 그대로 있는 인용문이 없어서 뺐다.`
    : `${count} ${count === 1 ? 'finding' : 'findings'} of the model had no verbatim quote and ${count === 1 ? 'was' : 'were'} dropped.`;
