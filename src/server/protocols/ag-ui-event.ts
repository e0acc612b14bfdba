import type { Json, JsonObject } from '../../core/ports/json.ts';

/** A message of an AG-UI conversation. */
export interface AgUiMessage {
  readonly id: string;
  readonly role: string;
  readonly [key: string]: Json;
}

interface AgUiUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** A question or a call in doubt that a run waits for. */
export interface AgUiInterrupt {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly toolCallId?: string;
  readonly metadata: JsonObject;
}

type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

interface RunIds {
  readonly threadId: string;
  readonly runId: string;
}

/** The AG-UI 1.0 events that this package sends. */
export type AgUiEvent =
  | ({ readonly type: 'RUN_STARTED'; readonly protocolVersion: '1.0' } & RunIds)
  | ({
      readonly type: 'RUN_FINISHED';
      readonly result?: Json;
      readonly outcome:
        | { readonly type: 'success' }
        | { readonly type: 'cancelled' }
        | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] };
      readonly usage: readonly AgUiUsage[];
    } & RunIds)
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string; readonly usage: readonly AgUiUsage[] }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' }
  | { readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END'; readonly messageId: string }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning'; readonly metadata: JsonObject }
  | { readonly type: 'TOOL_CALL_START'; readonly toolCallId: string; readonly toolCallName: string }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
      readonly metadata?: JsonObject;
    }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonObject }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly Operation[] }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: Json };
