export type { OptionKind } from '../core/util/check-options.ts';
export type { RateLimitOptions as RateLimitedModelOptions } from '../core/util/rate-limit-queue.ts';
export { repairMessage } from '../core/util/repair-message.ts';
export { withoutFiles } from '../core/util/without-files.ts';
export * from './ai-sdk/ai-sdk-model.ts';
export { type AskJsonOptions, askJson } from './ask-json.ts';
export { type AskModelOptions, askModel } from './ask-model.ts';
export { type AskUntilReadOptions, askUntilRead } from './ask-until-read.ts';
export { assistantMessage } from './assistant-message.ts';
export { type CachedModel, type CachedModelOptions, type CacheStats, cachedModel } from './cached-model.ts';
export { contextTokensOf } from './context-tokens-of.ts';
export { type Fallback, type FallbackModelOptions, fallbackModel } from './fallback-model.ts';
export { type FittedModelOptions, fittedModel } from './fitted-model.ts';
export type { LinkRule } from './foreign-links.ts';
export { type GuardAnswerOptions, guardAnswer } from './guard-answer.ts';
export type { GuardedReply } from './guarded-exchange.ts';
export { type MessageFileLimits, parseMessageFiles, withFilesWithin } from './message-files.ts';
export type { AnsweredCall, ModelAnswer, ToolCallAnswer } from './model-answer.ts';
export {
  type ModelName,
  type ModelOptions,
  type ModelsByTask,
  type ModelsByTaskOptions,
  modelsByTask,
  type NodeOfTask,
} from './models-by-task.ts';
export * from './offline/index.ts';
export type { MissingHelp, OfflineAdvice } from './offline-advice.ts';
export { parseJsonReply, type ReplyForm } from './parse-json-reply.ts';
export { rateLimitedModel } from './rate-limited-model.ts';
export type { ReasoningEffort, RemoteModelOptions } from './remote-model-options.ts';
export type { ReplyTimeouts } from './reply-clock.ts';
export { type RuleInputSource, type RuleModel, withRuleInput } from './rule-model.ts';
export { type Script, type ScriptedModel, type ScriptedReply, scriptedModel } from './scripted-model.ts';
