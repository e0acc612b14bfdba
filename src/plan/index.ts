export { jsonSchemaValidator } from '../core/schema/json-schema-validator.ts';
export { type ParsePlanOptions, parsePlan } from './gate/parse-plan.ts';
export { type PlanIssue, type PlanIssueCode, type PlanStep, planSchema, type ValidatedPlan } from './gate/plan.ts';
export { PlanRejectedError } from './gate/plan-rejected-error.ts';
export type { CompletedStep } from './gate/reference-check.ts';
