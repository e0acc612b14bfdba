import type { ChatMessage } from '../ports/chat-model.ts';

/** One message of a conversation. */
export interface WindowMessage {
  /** Unlike that of any other message of the thread. */
  readonly id: string;
  readonly message: ChatMessage;
}
