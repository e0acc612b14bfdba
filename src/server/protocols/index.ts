export {
  type A2aArtifact,
  type A2aEncoder,
  type A2aEncoderOptions,
  type A2aEvent,
  type A2aMessage,
  type A2aPart,
  type A2aStatus,
  type A2aTask,
  type A2aTaskState,
  a2aEncoder,
} from './a2a/a2a-encoder.ts';
export { a2aRoutes } from './a2a/a2a-routes.ts';
export { type AgUiEncoder, type AgUiEncoderOptions, agUiEncoder } from './ag-ui-encoder.ts';
export type { AgUiEvent, AgUiInterrupt, AgUiMessage } from './ag-ui-event.ts';
export { agUiRoutes } from './ag-ui-routes.ts';
export type { AiSdkChunk, PartMetadata } from './ai-sdk-chunk.ts';
export { aiSdkEncoder } from './ai-sdk-encoder.ts';
export { type AiSdkMessage, toAiSdkMessage } from './ai-sdk-message.ts';
export { aiSdkRoutes } from './ai-sdk-routes.ts';
export {
  type LangGraphEncoder,
  type LangGraphEncoderOptions,
  type LangGraphPart,
  type LangGraphStreamMode,
  type LangGraphValues,
  langGraphEncoder,
} from './lang-graph/lang-graph-encoder.ts';
export type { LangGraphInterrupt } from './lang-graph/lang-graph-interrupt.ts';
export type { LangGraphMessage, LangGraphToolCall } from './lang-graph/lang-graph-message.ts';
export { langGraphRoutes } from './lang-graph/lang-graph-routes.ts';
export type { MessageDetails } from './message-details.ts';
export { type ChatChunk, type OpenaiChatEncoderOptions, openaiChatEncoder } from './openai-chat-encoder.ts';
export type { OpenaiError } from './openai-error.ts';
export {
  type OpenaiResponsesEncoderOptions,
  openaiResponsesEncoder,
  type ResponseEvent,
  type ResponseItem,
  type ResponseObject,
} from './openai-responses-encoder.ts';
export { type OpenaiOptions, openaiRoutes } from './openai-routes.ts';
export { encodeRest, type ProtocolEvent, type RestEvent, type RunEncoder } from './protocol-event.ts';
export type { ProtocolOptions, ProtocolSpace, ProtocolWorkflow } from './protocol-space.ts';
