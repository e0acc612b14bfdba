import { contentWords } from 'agent-machines/search';
import type { WordingFound } from '../state.ts';
import { nameOf } from '../tools/found-articles.ts';

/** Says that the contract has something related, which may not be the answer. */
export function describeNearest(article: { readonly label: string; readonly title: string } | undefined, korean: boolean): string {
  if (korean) {
    const near = article === undefined ? '' : ` 가장 가까운 것은 ${nameOf(article)}이며, 찾으시는 내용이 아닐 수 있습니다.`;
    return `이 계약서에는 이 질문에 분명히 답하는 내용이 없습니다.${near}`;
  }
  const near = article === undefined ? '' : `; the nearest is ${nameOf(article)}, which may not be it`;
  return `The contract has nothing that clearly answers this${near}.`;
}

/** Says that the contract has nothing about the subject, and names the topics of the search. */
export function describeSilence(question: string, wording: WordingFound | null, korean: boolean): string {
  const subject = contentWords(question);
  const others = (wording?.lookedFor ?? []).filter((each) => each !== subject);
  const looked = others.length === 0 ? '' : `${korean ? ' 찾아본 주제: ' : ' Looked for: '}${others.join(', ')}.`;
  return korean ? `이 계약서에는 “${subject}”에 관한 내용이 없습니다.${looked}` : `The contract says nothing about “${subject}”.${looked}`;
}

/** True if the answer already contains one of these statements. */
export const saysVerdict = (text: string): boolean =>
  /nothing that clearly answers|anything that clearly answers|may not be it|says (?:nothing|anything) about|분명히 답하는 내용이 없|내용이 없습니다|아닐 수 있습니다/u.test(
    text,
  );

/** Says that the document was searched by paragraphs, because no articles were recognized. */
export const describeParagraphs = (korean: boolean): string =>
  korean
    ? '이 문서에서는 조항의 구조를 읽지 못했습니다. 문단 단위로 찾은 결과입니다.'
    : 'The structure of this document was not read: it has no articles that were recognised. It was searched by paragraphs.';
