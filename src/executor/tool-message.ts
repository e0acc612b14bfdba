import type { WorkflowError } from '../errors.ts';
import type { ChatMessage } from '../ports/chat-model.ts';
import { approvalNeeded } from './approval-needed.ts';
import type { PastCall } from './execute-calls.ts';
import type { HeldCall } from './execute-plan.types.ts';

/**
 * The message that answers a model's call: what the tool has returned as JSON or text, or why there is nothing, with what to do.
 *
 * @param callId of the model's call, as the model wrote it.
 * @param result what `executeCalls` says of the call, or the error for which it was not made. A held call that nobody is asked about is
 *   answered with `CALL_NEEDS_APPROVAL`.
 */
export function toolMessage(callId: string, result: PastCall | HeldCall | WorkflowError): ChatMessage {
  if ('status' in result && result.status === 'success') {
    const { output = null } = result;
    return { role: 'tool', callId, content: typeof output === 'string' ? output : JSON.stringify(output) };
  }
  const error = !('status' in result) ? result : result.status === 'held' ? approvalNeeded(result) : result.error;
  return { role: 'tool', callId, content: JSON.stringify({ error: `${error?.code}: ${error?.message}`, hint: error?.hint ?? '' }) };
}
