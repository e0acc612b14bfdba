import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeError, describeFailure } from '../../../../src/core/text/describe-error.ts';
import { describeStop } from '../../../../src/core/text/describe-stop.ts';
import { errorCodes, otherLanguageIn } from '../../../fixtures/one-language.ts';

const error = { code: 'MODEL_UNAVAILABLE', message: '"m" is not available: ECONNREFUSED', hint: 'Use fallbackModel.' };

it('describes a stop to the user, without message and hint for developers', () => {
  expect(describeStop(error, { korean: false })).toBe(
    'Execution stopped: The language model cannot be reached. Try again later. (MODEL_UNAVAILABLE)',
  );
  expect(describeStop(error, { korean: true })).toBe(
    '실행이 중단되었습니다: 언어 모델에 연결할 수 없습니다. 잠시 뒤에 다시 시도해 주세요. (MODEL_UNAVAILABLE)',
  );
});

it("prefers a refusing model's own words, in the language of the answer", () => {
  const refused = { code: 'MODEL_REFUSED', data: { text: '그건 말할 수 없어요.' } };
  expect(describeError(refused, { korean: true })).toBe('그건 말할 수 없어요.');
  expect(describeError(refused, { korean: false })).toBe('The language model refused to answer. Rephrase the question.');
});

it("prefers a tool's own message, in the language of the answer", () => {
  const missing = { code: 'FILE_NOT_FOUND', message: 'The file "메모.md" does not exist.' };
  expect(describeFailure(missing, { korean: false })).toBe(missing.message);
  expect(describeFailure(missing, { korean: true })).toBe('파일이 없습니다. (“메모.md”)');
});

describe('one language', () => {
  const texts = fc.constantFrom('The server is busy.', '서버가 바쁩니다.', 'Raise maxRetryAfterMs, or use fallbackModel.', '');
  const codes = fc.oneof(fc.constantFrom(...errorCodes), fc.string());
  it('describes every error in the language of the answer only', () => {
    fc.assert(
      fc.property(codes, texts, texts, fc.boolean(), (code, message, text, korean) => {
        const failure = { code, message, data: { text } };
        for (const said of [describeError(failure, { korean }), describeFailure(failure, { korean })]) {
          expect(said).not.toBe('');
          expect(otherLanguageIn(said, { korean })).toBeUndefined();
        }
      }),
    );
  });
});
