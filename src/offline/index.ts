export { type BestSentencesOptions, bestSentences } from './best-sentences.ts';
export { type DescribeToolOutputOptions, describeToolOutput } from './describe-tool-output.ts';
export { jsonOrText } from './json-or-text.ts';
export { offlineModel } from './offline-model.ts';
export { type AnyRules, combineRules, type OfflineRule, type OfflineRules, type RuleRequest } from './offline-rules.ts';
export { type Need, readNeeds } from './read-needs.ts';
export { sharedTokens } from './shared-tokens.ts';
export { smallTalkWords } from './small-talk-words.ts';
export { withoutOrder } from './without-order.ts';
