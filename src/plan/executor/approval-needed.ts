import { WorkflowError } from '../../core/errors/errors.ts';
import type { HeldCall } from './execute-plan.types.ts';

const sentences = {
  declared: 'the tool requires it',
  untrusted: 'untrusted text is in the thread, and the call cannot be undone',
  target: 'untrusted text is in the thread, and a target of the call is not allowed',
  arguments: 'untrusted text is in the thread, and the call sends personal data or a secret out',
  guard: 'a guard holds the call',
  private: 'private data is in the thread, and the call sends data out',
} as const;

/** Reasons of an approval request, as a sentence. */
export function describeReasons({ tool, reasons, heldBy = [] }: Pick<HeldCall, 'tool' | 'reasons' | 'heldBy'>): string {
  const guards = heldBy.length > 0 ? ` (${heldBy.join(', ')})` : '';
  const named = reasons.map((reason) => (reason === 'guard' ? `${sentences.guard}${guards}` : sentences[reason]));
  return `"${tool}" waits for approval: ${named.join('; ')}.`;
}

/** Converts a held call to an error, for loops without a human. */
export const approvalNeeded = (held: HeldCall): WorkflowError =>
  new WorkflowError({
    code: 'CALL_NEEDS_APPROVAL',
    message: describeReasons(held),
    hint: 'Continue without it. No human can approve it here.',
    data: { tool: held.tool, args: held.args },
  });

export const callRejected = (tool: string, reason: string): WorkflowError =>
  new WorkflowError({
    code: 'CALL_REJECTED',
    message: `A human rejected the call of "${tool}"${reason === '' ? '' : `: ${reason}`}.`,
    hint: 'Do not repeat the call. Continue without it, or ask the human what to do instead.',
    data: { tool, reason },
  });
