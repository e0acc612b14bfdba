export { arbitraryBrokenPlan, type BrokenPlan } from './arbitrary-broken-plan.ts';
export { type ArbitraryJsonOptions, arbitraryJson } from './arbitrary-json.ts';
export { type ArbitraryMessagesOptions, arbitraryMessages } from './arbitrary-messages.ts';
export { arbitraryOutcome, type OutcomeOptions } from './arbitrary-outcome.ts';
export { type ArbitraryPlanOptions, arbitraryPlan, type ProposedPlan } from './arbitrary-plan.ts';
export { arbitraryTape, type TapeOptions } from './arbitrary-tape.ts';
export { type PropertyTestOptions, type PropertyTestReport, propertyTestWorkflow, type TapedRun } from './property-test-workflow.ts';
export type { NodeOutcome, Tape, TapeAct } from './tape.ts';
