export type {
  GuardBorder,
  GuardContext,
  GuardExchange,
  GuardedPiece,
  GuardStream,
  GuardVerdict,
  TextGuard,
} from '../../core/ports/text-guard.ts';
export type { PersonalDataKind } from '../../core/util/personal-data.ts';
export { type LimitTopicsOptions, limitTopics } from './limit-topics.ts';
export { type MaskPersonalDataOptions, maskPersonalData } from './mask-personal-data.ts';
export { type MaskSecretsOptions, maskSecrets } from './mask-secrets.ts';
export { type ModerateOptions, type ModerationResult, moderate } from './moderate.ts';
export { type OpenaiModerationOptions, openaiModeration } from './openai-moderation.ts';
export { type RequireCitationsOptions, requireCitations } from './require-citations.ts';
export { type StripForeignLinksOptions, stripForeignLinks } from './strip-foreign-links.ts';
