export type { AiSdkChunk, PartMetadata } from './ai-sdk-chunk.ts';
export { aiSdkEncoder } from './ai-sdk-encoder.ts';
export { aiSdkRoutes } from './ai-sdk-routes.ts';
export { encodeRest, type ProtocolEvent, type RestEvent, type RunEncoder } from './protocol-event.ts';
export type { ProtocolOptions, ProtocolSpace, ProtocolWorkflow } from './protocol-space.ts';
