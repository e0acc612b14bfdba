import { WorkflowError } from '../../core/errors/errors.ts';
import { maxShown, shownList } from '../../core/util/shown-list.ts';
import type { PlanIssue } from './plan.ts';

/** A plan that the gate rejected. None of it was executed. */
export class PlanRejectedError extends WorkflowError {
  /** The reasons, in document order, at most 20. */
  readonly issues: readonly PlanIssue[];

  /** @param issues all reasons; the message and `data.more` count those beyond the limit. */
  constructor(issues: readonly PlanIssue[]) {
    const shown = issues.slice(0, maxShown);
    const more = issues.length - shown.length;
    super({
      code: 'PLAN_REJECTED',
      message: `The plan was rejected: ${shownList(issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)))}.`,
      hint: 'No step was executed. Plan again with the offered tools.',
      data: { issues: shown.map((issue) => ({ ...issue })), ...(more > 0 ? { more } : {}) },
    });
    this.name = 'PlanRejectedError';
    this.issues = shown;
  }
}
