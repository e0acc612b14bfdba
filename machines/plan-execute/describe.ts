import type { JsonObject } from 'agent-machines';
import type { DescriptionFormat, NodeDescription } from 'agent-machines/inspect';
import type { PlanExecuteState } from './state.ts';

/** Describes a node of plan-execute in a few words. */
export function describePlanExecute(node: string, patch: JsonObject, format: DescriptionFormat): NodeDescription {
  const { oneLine, milliseconds, hintOf, waitsFor } = format;
  const { intent, needsTool, rewrittenQuery, plan = [], pastSteps = [], wave = [], heldCalls = [] } = patch as Partial<PlanExecuteState>;
  switch (node) {
    case 'intent_classifier':
      return {
        summary: `${intent}${needsTool ? ', needs_tool' : ''}`,
        ...(intent === 'follow_up' ? { lines: [`→ ${oneLine(rewrittenQuery ?? '', 90)}`] } : {}),
      };
    case 'planner':
    case 'replanner':
      return { summary: `${plan.length} ${plan.length === 1 ? 'step' : 'steps'}`, lines: describePlan(plan, format) };
    case 'executor': {
      const done = pastSteps.slice(pastSteps.length - wave.length);
      const failures = done.filter((past) => past.status === 'failure');
      return {
        summary: [
          ...done.map(({ step, status, durationMs, deduplicated }) => {
            if (status === 'failure') return `${step.step_id} ✗`;
            return `${step.step_id} ✓ ${deduplicated ? 'reused' : milliseconds(durationMs)}`;
          }),
          ...(heldCalls.length > 0 ? [waitsFor(heldCalls)] : []),
        ].join(' · '),
        lines: failures.map(
          ({ step, error }) => `${step.step_id} ${step.tool}  ${error.code}: ${oneLine(`${error.message} ${hintOf(error)}`)}`,
        ),
        failed: failures.length > 0,
      };
    }
    default:
      return { summary: '' };
  }
}

function describePlan(plan: PlanExecuteState['plan'], { oneLine, pad }: DescriptionFormat): readonly string[] {
  const width = Math.max(0, ...plan.map(({ tool }) => tool.length));
  const independent = plan.filter(({ input_from: from }) => from === undefined);
  return plan.map((step) => {
    const { step_id, tool, input, input_from: from } = step;
    const source = from === undefined ? [] : [`← ${typeof from === 'string' ? from : Object.values(from).join(', ')}`];
    const text =
      typeof input === 'string'
        ? JSON.stringify(input)
        : input === undefined || Object.keys(input).length === 0
          ? ''
          : JSON.stringify(input);
    const line = `${step_id} ${pad(tool, width)}  ${oneLine([text, ...source].join(' ').trim(), 60)}`;
    if (independent.length < 2 || !independent.includes(step)) return line.trimEnd();
    const mark = step === independent[0] ? '─┐ parallel' : step === independent.at(-1) ? '─┘' : ' │';
    return `${pad(line, 52)} ${mark}`;
  });
}
