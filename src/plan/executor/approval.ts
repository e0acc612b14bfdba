import type { JsonObject } from '../../core/ports/json.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { ApprovalContext, Tool, ToolCapabilities } from '../../core/ports/tool.ts';
import { isHighRisk } from '../../core/tool-facts/is-high-risk.ts';
import { holdsPersonalData } from '../../core/util/personal-data.ts';
import { everyTaint, joinTaint, noTaint, readTaint } from '../../core/util/taint.ts';
import { areAllowed } from './allowed-targets.ts';
import { effectOf } from './effect-of.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';
import type { CallEnvironment } from './journal-call.ts';

/**
 * Reason of an approval request. `declared`: the tool's `needsApproval`. With untrusted text in the thread, `untrusted`: the call is
 * high-risk or `once`; `target`: it reaches a target outside `allowTargets`; `arguments`: it sends personal data or a secret out.
 * `private`: the thread holds private data, and the call sends data out. `guard`: a guard of the workflow holds the call.
 */
export type ApprovalReason = 'declared' | 'untrusted' | 'target' | 'arguments' | 'private' | 'guard';

/** Capabilities of a tool; an undeclared one counts as present. */
export function capabilitiesOf({ capabilities }: Tool): ToolCapabilities {
  const { private: isPrivate, untrusted, external } = (capabilities ?? {}) as Partial<ToolCapabilities>;
  return { private: isPrivate !== false, untrusted: untrusted !== false, external: external !== false };
}

export const threadTaint = ({ taint }: Pick<CallOptions, 'taint'>): Taint => (taint === undefined ? noTaint : readTaint(taint));

type Rules = Pick<CallEnvironment, 'allowEgress' | 'allowTargets'>;

/** The approval rule, without `needsApproval`. */
function reasonsFor(tool: Tool, args: JsonObject, taint: Taint, { allowEgress, allowTargets }: Rules): readonly ApprovalReason[] {
  // Decision 440: judged by effect, targets and arguments; the rule before asked too often and missed attacks.
  const { external } = capabilitiesOf(tool);
  const targets = external && tool.targets ? targetsOf(tool.targets, args) : undefined;
  if (targets && areAllowed(targets, allowTargets)) return [];
  return [
    ...(taint.untrusted && (isHighRisk(tool) || effectOf(tool) === 'once') ? ['untrusted' as const] : []),
    ...(taint.untrusted && targets ? ['target' as const] : []),
    ...(taint.untrusted && external && holdsPersonalData(args) ? ['arguments' as const] : []),
    ...(taint.private && external && !allowEgress ? ['private' as const] : []),
  ];
}

function targetsOf(targets: NonNullable<Tool['targets']>, args: JsonObject): readonly string[] {
  try {
    return [...targets(structuredClone(args))];
  } catch {
    return [];
  }
}

/**
 * Taint of a thread after a call: its taint before, plus that of the tool. A failed call counts too, because its error may quote what the
 * tool read; a call that was not made adds nothing.
 */
export function taintAfter(before: Taint, tool: Tool | undefined, { status, attempts, taint }: CallRecord): Taint {
  if (status === 'failure' && attempts === 0) return before;
  if (taint) return joinTaint(before, readTaint(taint));
  return tool ? joinTaint(before, capabilitiesOf(tool)) : everyTaint;
}

/**
 * Reasons why a call needs approval; empty if it may run. The result of the tool's own function is a journaled step, because the function
 * may decide differently after a crash.
 */
export async function approvalReasons(
  key: string,
  tool: Tool,
  args: JsonObject,
  taint: Taint,
  { io, signal, ...rules }: Pick<CallEnvironment, 'io' | 'signal' | 'allowEgress' | 'allowTargets'>,
): Promise<readonly ApprovalReason[]> {
  const { needsApproval = false } = tool;
  const declared =
    typeof needsApproval === 'function'
      ? await io.step(`${key}_approval`, () => isApprovalRequired(needsApproval, args, { taint: { ...taint }, signal }), { effect: 'pure' })
      : needsApproval;
  return [...(declared !== false ? ['declared' as const] : []), ...reasonsFor(tool, args, taint, rules)];
}

async function isApprovalRequired(
  needsApproval: Extract<Tool['needsApproval'], (...args: never) => unknown>,
  args: JsonObject,
  context: ApprovalContext,
): Promise<boolean> {
  try {
    return (await needsApproval(structuredClone(args) as JsonObject, context)) !== false;
  } catch {
    context.signal.throwIfAborted();
    return true;
  }
}
