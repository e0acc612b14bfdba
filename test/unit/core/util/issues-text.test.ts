import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuesText } from '../../../../src/core/util/issues-text.ts';

describe('issuesText', () => {
  it('prints each issue and its place on one line', () => {
    const { error } = z.strictObject({ tasks: z.array(z.string().min(1, 'it is empty')) }).safeParse({ tasks: ['a', ''], more: 1 });
    expect(issuesText(error)).toBe('tasks.1: it is empty; Unrecognized key: "more"');
  });

  it('reads path segments that are objects with a key', () => {
    expect(issuesText({ issues: [{ path: [{ key: 'tasks' }, { key: 0 }], message: 'no text' }] })).toBe('tasks.0: no text');
  });

  it.each([[undefined], [null], ['text'], [new Error('x')], [{ issues: 'x' }], [{ issues: [] }]])(
    'prints only the message for %j',
    (error) => {
      expect(issuesText(error)).toBeUndefined();
    },
  );
});
