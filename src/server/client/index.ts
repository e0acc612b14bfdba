export type { ApiError } from '../api/api-error.ts';
export type * from '../api/calls.ts';
export type * from '../api/schedules.ts';
export { ApiFailure } from './api-failure.ts';
export { type AgentClient, type CallOptions, type ClientOptions, createClient, type EventsOptions } from './create-client.ts';
