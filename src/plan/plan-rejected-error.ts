import { WorkflowError } from '../errors.ts';
import { maxShown, shownList } from '../util/shown-list.ts';
import type { PlanIssue } from './plan.ts';

/** A plan that the gate refused. Nothing of it was executed. */
export class PlanRejectedError extends WorkflowError {
  /** The reasons, in document order, 20 at the most. */
  readonly issues: readonly PlanIssue[];

  /** @param issues of which those that are too many are counted in the message and in `data.more`. */
  constructor(issues: readonly PlanIssue[]) {
    const shown = issues.slice(0, maxShown);
    const more = issues.length - shown.length;
    super({
      code: 'PLAN_REJECTED',
      message: `The plan was refused: ${shownList(issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)))}.`,
      hint: 'Nothing of it was executed. Plan again with the tools that are offered.',
      data: { issues: shown.map((issue) => ({ ...issue })), ...(more > 0 ? { more } : {}) },
    });
    this.name = 'PlanRejectedError';
    this.issues = shown;
  }
}
