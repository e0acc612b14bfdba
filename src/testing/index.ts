export type {
  CounterexampleWay,
  PromiseReport,
  PromiseVerdict,
  UndecidedCode,
  UndecidedReason,
  WayPlace,
  WayStep,
} from '../core/ports/promise-report.ts';
export { type ReplayEnd, replayRun } from '../engine/replay/replay-run.ts';
export { type RecordedAct, type RecordingOptions, type RunRecording, toRecording } from '../engine/replay/run-recording.ts';
export type { ContractCase } from './contract-case.ts';
export { runStoreContract } from './contracts/run-store.ts';
export { type VectorIndexContractOptions, vectorIndexContract } from './contracts/vector-index.ts';
export { type Crash, type CrashEnd, type CrashReport, type CrashResumeOptions, crashResume } from './crash-resume.ts';
export { type CrashingStore, crashingStore } from './crashing-store.ts';
export { type EdgeCoverage, edgeCoverage } from './edge-coverage.ts';
export { accepts } from './explore/accepts.ts';
export { always, never } from './explore/always.ts';
export { type CallBounds, type CallBoundsOptions, callBounds, callsWithin } from './explore/call-bounds.ts';
export { callsAtMost } from './explore/calls-at-most.ts';
export { canReach } from './explore/can-reach.ts';
export { type Counterexample, describeCounterexample } from './explore/counterexample.ts';
export { eventually } from './explore/eventually.ts';
export type { Exploration, ExploredFailure, ExploredMove, ExploredState } from './explore/exploration.ts';
export { type ExploreOptions, exploreMachine } from './explore/explore-machine.ts';
export type { Invariant, Moment, Predicate, Verdict } from './explore/invariant.ts';
export { neverLoses, neverShrinks } from './explore/never-loses.ts';
export { onlyAfter } from './explore/only-after.ts';
export type { CallCount, Calls, OutcomeClass, Outcomes } from './explore/outcome-class.ts';
export { until } from './explore/until.ts';
export { toPromiseReport, type VerifyPromisesOptions, verifyPromises } from './explore/verify-promises.ts';
export { type FakeClock, fakeClock } from './fake-clock.ts';
export { type Mutant, type MutateMachineOptions, mutateMachine } from './mutate/mutate-machine.ts';
export type { MutationKind } from './mutate/mutation.ts';
export { type KilledMutant, type MutationScore, mutationScore } from './mutate/mutation-score.ts';
export { promiseCheck } from './mutate/promise-check.ts';
