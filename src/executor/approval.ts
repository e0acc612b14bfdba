import type { JsonObject } from '../ports/json.ts';
import type { Taint } from '../ports/taint.ts';
import type { ApprovalContext, Tool, ToolCapabilities } from '../ports/tool.ts';
import { isHighRisk } from '../tools/is-high-risk.ts';
import { everyTaint, joinTaint, noTaint, readTaint } from '../util/taint.ts';
import type { CallEnvironment } from './call-tool.ts';
import { effectOf } from './effect-of.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';

/**
 * Why a human is asked: the tool wants it of this call; untrusted text is in the thread, and the call is high-risk, or goes out once and
 * for all; private data is in the thread, and the call goes out.
 */
export type ApprovalReason = 'declared' | 'untrusted' | 'private';

/** The capabilities of a tool; what it does not say is treated as there. */
export function capabilitiesOf({ capabilities }: Tool): ToolCapabilities {
  const { private: isPrivate, untrusted, external } = (capabilities ?? {}) as Partial<ToolCapabilities>;
  return { private: isPrivate !== false, untrusted: untrusted !== false, external: external !== false };
}

/** What a thread holds, as a caller says it; what cannot be read counts as both. */
export const threadTaint = ({ taint }: Pick<CallOptions, 'taint'>): Taint => (taint === undefined ? noTaint : readTaint(taint));

/** The rule: what has to be approved in a thread that holds this, whatever the tool itself asks for. */
function reasonsFor(tool: Tool, taint: Taint, allowEgress: boolean): readonly ApprovalReason[] {
  const { external } = capabilitiesOf(tool);
  const once = effectOf(tool) === 'once';
  return [
    ...(taint.untrusted && (isHighRisk(tool) || (once && external)) ? ['untrusted' as const] : []),
    ...(taint.private && external && !allowEgress ? ['private' as const] : []),
  ];
}

/**
 * What a thread holds after a call: what it held, and what the tool brings. A call that failed counts, too, for its error says what the
 * tool has seen; one that was not made brings nothing.
 */
export function taintAfter(before: Taint, tool: Tool | undefined, { status, attempts, taint }: CallRecord): Taint {
  if (status === 'failure' && attempts === 0) return before;
  if (taint) return joinTaint(before, readTaint(taint));
  return tool ? joinTaint(before, capabilitiesOf(tool)) : everyTaint;
}

/**
 * What a thread holds that is offered these tools: one that declares no capabilities has been judged by nobody, so that its description
 * is a stranger's text.
 */
export const taintOfOffer = (tools: readonly Tool[]): Taint =>
  tools.some(({ capabilities }) => !capabilities) ? { private: false, untrusted: true } : noTaint;

/**
 * Why a call waits for a human: nothing, when it may be made. What the tool's own function says is a journaled step, since it may say
 * something else after a crash.
 */
export async function whyHeld(
  key: string,
  tool: Tool,
  args: JsonObject,
  taint: Taint,
  { io, signal, allowEgress }: Pick<CallEnvironment, 'io' | 'signal' | 'allowEgress'>,
): Promise<readonly ApprovalReason[]> {
  const { needsApproval = false } = tool;
  const declared =
    typeof needsApproval === 'function'
      ? await io.step(`${key}_approval`, () => asksFor(needsApproval, args, { taint: { ...taint }, signal }), { effect: 'pure' })
      : needsApproval;
  return [...(declared !== false ? ['declared' as const] : []), ...reasonsFor(tool, taint, allowEgress)];
}

async function asksFor(
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
