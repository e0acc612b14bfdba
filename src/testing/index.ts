export type { ContractCase } from './contract-case.ts';
export { runStoreContract } from './contracts/run-store.ts';
export { type VectorIndexContractOptions, vectorIndexContract } from './contracts/vector-index.ts';
export { type CrashingStore, crashingStore } from './crashing-store.ts';
export { type EdgeCoverage, edgeCoverage } from './edge-coverage.ts';
export { type FakeClock, fakeClock } from './fake-clock.ts';
export { type Mutant, type MutateMachineOptions, mutateMachine } from './mutate/mutate-machine.ts';
export type { MutationKind } from './mutate/mutation.ts';
export { type KilledMutant, type MutationScore, mutationScore } from './mutate/mutation-score.ts';
