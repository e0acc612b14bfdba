import type { WorkflowError } from '../errors.ts';
import type { ChatMessage } from '../ports/chat-model.ts';
import type { PastCall } from './execute-calls.ts';

/**
 * The message that answers a model's call: what the tool has returned as JSON or text, or why there is nothing, with what to do.
 *
 * @param callId of the model's call, as the model wrote it.
 * @param result what `executeCalls` says of the call, or the error for which it was not made.
 */
export function toolMessage(callId: string, result: PastCall | WorkflowError): ChatMessage {
  if ('status' in result && result.status === 'success') {
    const { output = null } = result;
    return { role: 'tool', callId, content: typeof output === 'string' ? output : JSON.stringify(output) };
  }
  const error = 'status' in result ? result.error : result;
  return { role: 'tool', callId, content: JSON.stringify({ error: `${error?.code}: ${error?.message}`, hint: error?.hint ?? '' }) };
}
