import type { WindowMessage } from './window-message.ts';
import { checkedSettings, type WindowSettings, type WindowState } from './window-state.ts';

/** Window step before a question is answered. */
export type WindowPlan =
  | { readonly kind: 'keep' }
  | {
      readonly kind: 'summarize';
      /** Messages to be summarised, oldest first; never empty. */
      readonly old: readonly WindowMessage[];
      readonly recent: readonly WindowMessage[];
    };

export type SummarizePlan = Extract<WindowPlan, { kind: 'summarize' }>;

/**
 * Selects the stored messages to be summarised: none below `maxMessages`, else all but the last `keepRecent`. The cut moves earlier to keep
 * a call with its results. If nothing remains before it, all messages stay.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for invalid settings.
 * @example planWindow(state, { maxMessages: 10, keepRecent: 5 })
 */
export function planWindow(state: Pick<WindowState, 'messages'>, settings?: WindowSettings): WindowPlan {
  const { maxMessages, keepRecent } = checkedSettings(settings);
  const { messages } = state;
  if (messages.length < maxMessages) return { kind: 'keep' };
  const cut = cutBefore(messages, messages.length - keepRecent);
  return cut === 0 ? { kind: 'keep' } : { kind: 'summarize', old: messages.slice(0, cut), recent: messages.slice(cut) };
}

/** Returns the last index up to `wanted` that separates no call from its result. A result belongs to the nearest call with its id. */
function cutBefore(messages: readonly WindowMessage[], wanted: number): number {
  const lastCall = new Map<string, number>();
  const lastResult = new Map<number, number>();
  for (const [i, { message }] of messages.entries()) {
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) lastCall.set(id, i);
    const call = message.role === 'tool' ? lastCall.get(message.callId) : undefined;
    if (call !== undefined) lastResult.set(call, i);
  }
  let cut = wanted;
  for (let i = cut - 1; i >= 0; i--) if ((lastResult.get(i) ?? -1) >= cut) cut = i;
  return cut;
}
