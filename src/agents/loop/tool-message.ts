import type { WorkflowError } from '../../core/errors/errors.ts';
import type { ChatMessage } from '../../core/ports/chat-model.ts';
import { toModelContent } from '../../core/tool-facts/tool-content.ts';
import { approvalNeeded } from '../../plan/executor/approval-needed.ts';
import type { PastCall } from '../../plan/executor/execute-calls.ts';
import type { HeldCall } from '../../plan/executor/execute-plan.types.ts';

/**
 * Message that answers a model's call: the tool's output as JSON or text, with its files, or the error with its hint.
 * @param callId id that the model wrote.
 * @param result result of `executeCalls`, or the error that prevented the call. A held call without a reviewer is answered with
 * `CALL_NEEDS_APPROVAL`.
 */
export function toolMessage(callId: string, result: PastCall | HeldCall | WorkflowError): ChatMessage {
  if ('status' in result && result.status === 'success') {
    const { text, files } = toModelContent(result.output);
    return { role: 'tool', callId, content: text, ...(files.length > 0 ? { files } : {}) };
  }
  const error = !('status' in result) ? result : result.status === 'held' ? approvalNeeded(result) : result.error;
  return { role: 'tool', callId, content: JSON.stringify({ error: `${error.code}: ${error.message}`, hint: error.hint ?? '' }) };
}
