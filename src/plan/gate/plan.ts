import type { JsonObject, JsonSchema } from '../../core/ports/json.ts';
import { referencePattern } from './step-reference.ts';

/** One step of a plan, as the planner writes it. */
export interface PlanStep {
  /** A positive integer, unique within the run. */
  readonly step_id: number;
  readonly tool: string;
  /** A string fills the tool's `primaryInput`; an object holds its arguments. */
  readonly input?: string | JsonObject;
  /** Outputs of earlier steps: `step_N` fills the `primaryInput`; an object maps arguments to `step_N` or `step_N#/json/pointer`. */
  readonly input_from?: string | { readonly [argument: string]: string };
}

declare const validated: unique symbol;

/** A plan that passed the gate, the only input that the executor accepts. Only `parsePlan` creates it. */
export interface ValidatedPlan {
  readonly [validated]: true;
  readonly steps: readonly PlanStep[];
}

/** A reason for rejecting a plan. */
export interface PlanIssue {
  readonly code: PlanIssueCode;
  /** JSON pointer into the plan. */
  readonly path: string;
  readonly message: string;
}

export type PlanIssueCode =
  | 'NOT_JSON'
  | 'SCHEMA'
  | 'TOO_MANY_STEPS'
  | 'STEP_ID_DUPLICATE'
  | 'STEP_ID_USED'
  | 'TOOL_UNKNOWN'
  | 'TOOL_AMBIGUOUS'
  | 'TOOL_REFUSED'
  | 'TOOL_RISK'
  | 'ARGUMENT_TWICE'
  | 'ARGUMENT_INVALID'
  | 'NO_PRIMARY_INPUT'
  | 'REFERENCE_SELF'
  | 'REFERENCE_LATER'
  | 'REFERENCE_MISSING'
  | 'REFERENCE_FAILED'
  | 'CYCLE';

/** JSON Schema of a plan, for the model. The rules that depend on tools and run are checked by the gate. */
export const planSchema: JsonSchema = {
  type: 'object',
  properties: {
    steps: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          step_id: { type: 'integer', minimum: 1, maximum: 999_999_999 },
          tool: { type: 'string', minLength: 1 },
          input: { type: ['string', 'object'] },
          input_from: {
            type: ['string', 'object'],
            pattern: referencePattern,
            minProperties: 1,
            additionalProperties: { type: 'string', pattern: referencePattern },
          },
        },
        required: ['step_id', 'tool'],
        additionalProperties: false,
      },
    },
  },
  required: ['steps'],
  additionalProperties: false,
};
