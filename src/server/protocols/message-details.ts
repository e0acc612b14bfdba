import type { JsonObject } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';

/** Parts of a request besides the text of its message. All of them are untrusted. */
export interface MessageDetails {
  /** Files of the message. */
  readonly files?: readonly MessageFile[];
  /** System messages or `instructions` of an OpenAI client. */
  readonly instructions?: string;
  /** `context` of an AG-UI client: what its page shows. */
  readonly context?: readonly { readonly description: string; readonly value: string }[];
  /** `forwardedProps` of an AG-UI client. */
  readonly forwardedProps?: JsonObject;
}
