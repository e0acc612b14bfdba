import type { WindowMessage } from './window-message.ts';
import { checkedSettings, type WindowSettings, type WindowState } from './window-state.ts';

/** What the window does before a question is answered. */
export type WindowPlan =
  | { readonly kind: 'keep' }
  | {
      readonly kind: 'summarize';
      /** What leaves, oldest first; never empty. */
      readonly old: readonly WindowMessage[];
      readonly recent: readonly WindowMessage[];
    };

export type SummarizePlan = Extract<WindowPlan, { kind: 'summarize' }>;

/**
 * Says which stored messages are to be summarised: none below `maxMessages`, else all but the last `keepRecent`. The cut moves earlier
 * rather than part a call from its results, and when nothing remains before it, everything is kept.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for settings that make no sense.
 * @example planWindow(state, { maxMessages: 10, keepRecent: 5 })
 */
export function planWindow(state: Pick<WindowState, 'messages'>, settings?: WindowSettings): WindowPlan {
  const { maxMessages, keepRecent } = checkedSettings(settings);
  const { messages } = state;
  if (messages.length < maxMessages) return { kind: 'keep' };
  const cut = cutBefore(messages, messages.length - keepRecent);
  return cut === 0 ? { kind: 'keep' } : { kind: 'summarize', old: messages.slice(0, cut), recent: messages.slice(cut) };
}

/** The last place up to `wanted` where no call stands before it and its result behind. A result belongs to the nearest call of its id. */
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
