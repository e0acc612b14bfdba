import { WorkflowError } from '../errors.ts';
import type { PlanIssue } from './plan.ts';

/** A plan that the gate refused. Nothing of it was executed. */
export class PlanRejectedError extends WorkflowError {
  /** Every reason, in document order. */
  readonly issues: readonly PlanIssue[];

  constructor(issues: readonly PlanIssue[]) {
    super({
      code: 'PLAN_REJECTED',
      message: `The plan was refused: ${issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ')}.`,
      hint: 'Nothing of it was executed. Plan again with the tools that are offered.',
      data: { issues: issues.map((issue) => ({ ...issue })) },
    });
    this.name = 'PlanRejectedError';
    this.issues = issues;
  }
}
