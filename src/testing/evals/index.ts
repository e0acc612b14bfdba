export type { ModelPrice, PriceTable } from '../../core/util/model-cost.ts';
export { type CaseOfRun, type CaseOfRunOptions, caseOfRun } from './case-of-run.ts';
export { type CassetteMode, type CassetteModelOptions, type CassetteOptions, cassetteModel } from './cassette.ts';
export {
  type ChangedCase,
  compareEvals,
  type EvalComparison,
  type EvalVerdict,
  type GraderComparison,
} from './compare-evals.ts';
export { type AnyEval, defineEval, type EvalDefinition, type EvalKit } from './define-eval.ts';
export type { EvalCase } from './eval-case.ts';
export { evalJunit } from './eval-junit.ts';
export { type EvalReport, type EvalRow, evalJson, type GraderResult } from './eval-report.ts';
export { type GradeContext, type Grader, grader, type Score } from './grader.ts';
export { type JudgeOptions, judge } from './judge.ts';
export type { EvalMove, Observed, ObservedCall } from './observed.ts';
export { citations, contains, equals, type GraderName, matchesSchema, type Select } from './output-graders.ts';
export { type ParseCasesOptions, parseCases } from './parse-cases.ts';
export { atMost, type CallsOptions, calls, cost, latency, type Measure, never, type TrajectoryMode, trajectory } from './path-graders.ts';
export { type RunEvalOptions, runEval } from './run-eval.ts';
export { createTape, printTape, readTape, type Tape, type TapeEntry, type TapeModel } from './tape.ts';
