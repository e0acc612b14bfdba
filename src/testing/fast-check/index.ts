export { arbitraryBrokenPlan, type BrokenPlan } from './arbitrary-broken-plan.ts';
export { type ArbitraryJsonOptions, arbitraryJson } from './arbitrary-json.ts';
export { type ArbitraryMessagesOptions, arbitraryMessages } from './arbitrary-messages.ts';
export { type ArbitraryPlanOptions, arbitraryPlan, type ProposedPlan } from './arbitrary-plan.ts';
