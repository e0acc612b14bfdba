import type { MissingHelp, OfflineAdvice } from '../models/offline-advice.ts';

/** Where the advice is put: characters that no text has, for a quotation may well say that a language model is needed. */
const markOf = ({ needs, korean }: MissingHelp): string => `\uFDD0${needs} ${korean ? 'ko' : 'en'}\uFDD1`;
const mark = /\uFDD0(model|documents) (ko|en)\uFDD1/g;

/** Words of a sentence, in both languages. */
interface InBoth {
  readonly korean: string;
  readonly english: string;
}

/** That a language model is needed; `offlineModel` puts behind it what its advice says can be done. */
export const modelNeeded: InBoth = {
  korean: `언어 모델이 필요합니다${markOf({ needs: 'model', korean: true })}`,
  english: `needs a language model${markOf({ needs: 'model', korean: false })}`,
};

/** Documents, with what can be done to open some. */
export const documentsNeeded: InBoth = {
  korean: `그 내용이 있는 문서가${markOf({ needs: 'documents', korean: true })}`,
  english: `documents that tell it${markOf({ needs: 'documents', korean: false })}`,
};

/** What helps wherever the rules are used. */
const plainAdvice: OfflineAdvice = ({ needs }) => (needs === 'model' ? 'OPENAI_API_KEY' : '');

/** Puts advice into a text. */
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
