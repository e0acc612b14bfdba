export * from '../local/local-model.ts';
export * from '../openai-responses/openai-responses-model.ts';
export * from './openai-model.ts';
