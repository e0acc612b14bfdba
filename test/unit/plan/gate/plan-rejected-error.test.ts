import { toErrorInfo, WorkflowError } from 'agent-machines';
import { type PlanIssue, PlanRejectedError } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const issues: readonly PlanIssue[] = [
  { code: 'NOT_JSON', path: '', message: 'it is not JSON' },
  { code: 'TOOL_UNKNOWN', path: '/steps/0/tool', message: 'is "x", which is not offered' },
];

describe('PlanRejectedError', () => {
  it('names every issue with its place', () => {
    expect(new PlanRejectedError(issues).message).toBe(
      'The plan was rejected: it is not JSON; /steps/0/tool is "x", which is not offered.',
    );
  });

  it('shows 20 issues in 4,000 characters, and counts the others', () => {
    const many = Array.from({ length: 500 }, (_, n): PlanIssue => ({ code: 'SCHEMA', path: `/steps/${n}`, message: 'x'.repeat(250) }));
    const error = new PlanRejectedError(many);
    expect(error.issues).toEqual(many.slice(0, 20));
    expect(error.data).toEqual({ issues: many.slice(0, 20), more: 480 });
    expect(error.message.length).toBeLessThan(4_000);
    expect(error.message).toMatch(/; and 48\d more\.$/);
  });

  it('keeps its fields as plain data', () => {
    const error = new PlanRejectedError(issues);
    expect(WorkflowError.isInstance(error)).toBe(true);
    expect(toErrorInfo(error)).toEqual({
      name: 'PlanRejectedError',
      code: 'PLAN_REJECTED',
      message: error.message,
      hint: error.hint,
      retryable: false,
      data: { issues },
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual(toErrorInfo(error));
  });
});
