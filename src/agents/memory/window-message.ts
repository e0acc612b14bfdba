import type { ChatMessage } from '../../core/ports/chat-model.ts';

/** One message of a conversation. */
export interface WindowMessage {
  /** Id of the message, unique in the thread. */
  readonly id: string;
  readonly message: ChatMessage;
}
