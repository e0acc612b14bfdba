export { jsonSchemaValidator } from '../schema/json-schema-validator.ts';
export { type ParsePlanOptions, parsePlan } from './parse-plan.ts';
export { type PlanIssue, type PlanIssueCode, type PlanStep, planSchema, type ValidatedPlan } from './plan.ts';
export { PlanRejectedError } from './plan-rejected-error.ts';
export type { CompletedStep } from './reference-check.ts';
