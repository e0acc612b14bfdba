import type { Json, JsonObject } from '../../core/ports/json.ts';

/** Metadata of this package on a message part. */
export type PartMetadata = Readonly<Record<'agent-machines', JsonObject>>;

/** The chunks of an AI SDK UI message stream that this package sends. */
export type AiSdkChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: JsonObject }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'reasoning-start'; readonly id: string; readonly providerMetadata: PartMetadata }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      readonly dynamic: true;
      /** Set when the server made the call; absent while a human is asked. */
      readonly providerExecuted?: true;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string; readonly reason?: string }
  | { readonly type: 'tool-approval-response'; readonly approvalId: string; readonly approved: boolean }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Json;
      readonly dynamic: true;
      readonly providerExecuted?: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
      readonly providerExecuted?: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: 'source-url';
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string;
      readonly providerMetadata: PartMetadata;
    }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly providerMetadata: PartMetadata;
    }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: Json; readonly transient?: boolean }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'tool-calls' | 'error' | 'interrupted' | 'other';
      readonly messageMetadata: JsonObject;
    };
