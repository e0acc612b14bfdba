import type { MissingHelp, OfflineAdvice } from '../offline-advice.ts';

/** Placeholder for the advice. Its characters never occur in text, but a quotation may well say that a language model is needed. */
const markOf = ({ needs, korean }: MissingHelp): string => `\uFDD0${needs} ${korean ? 'ko' : 'en'}\uFDD1`;
const mark = /\uFDD0(model|documents) (ko|en)\uFDD1/g;

interface Bilingual {
  readonly korean: string;
  readonly english: string;
}

/** States that a language model is needed. `offlineModel` appends its advice. */
export const modelNeeded: Bilingual = {
  korean: `언어 모델이 필요합니다${markOf({ needs: 'model', korean: true })}`,
  english: `needs a language model${markOf({ needs: 'model', korean: false })}`,
};

/** Names documents as the help. `offlineModel` appends its advice on opening some. */
export const documentsNeeded: Bilingual = {
  korean: `그 내용이 있는 문서가${markOf({ needs: 'documents', korean: true })}`,
  english: `documents that tell it${markOf({ needs: 'documents', korean: false })}`,
};

/** Advice that holds wherever the rules run. */
const plainAdvice: OfflineAdvice = ({ needs }) => (needs === 'model' ? 'OPENAI_API_KEY' : '');

/** Inserts advice into a text. */
export async function withAdvice(text: string, advice: OfflineAdvice = plainAdvice): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const { index, 0: found, 1: needs, 2: language } of text.matchAll(mark)) {
    const said = await advice({ needs: needs === 'model' ? 'model' : 'documents', korean: language === 'ko' });
    parts.push(text.slice(end, index), said === '' ? '' : language === 'ko' ? `(${said})` : ` (${said})`);
    end = index + found.length;
  }
  return end === 0 ? text : parts.join('') + text.slice(end);
}
