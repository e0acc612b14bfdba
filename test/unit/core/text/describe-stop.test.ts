import { expect, it } from 'vitest';
import { describeError } from '../../../../src/core/text/describe-error.ts';
import { describeStop } from '../../../../src/core/text/describe-stop.ts';

it('describeError prints code, message and hint, if present', () => {
  const error = { name: 'WorkflowError', code: 'TOOL_TIMEOUT', message: 'It took too long.', retryable: true };
  expect(describeError(error)).toBe('TOOL_TIMEOUT: It took too long.');
  expect(describeError({ ...error, hint: 'Try again.' })).toBe('TOOL_TIMEOUT: It took too long. Try again.');
});

it('describeStop prints Korean and English', () => {
  expect(describeStop('X', { korean: true })).toBe('실행이 중단되었습니다: X');
  expect(describeStop('X', { korean: false })).toBe('Execution stopped: X');
});
