// What the machines ask models for, written out: a schema that says it otherwise would change every request.
import type { JsonObject, StandardSchema } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { routeSchema } from '../../machines/chat-agent/prompts.ts';
import { previousContextSchema, scopeSchema, sufficiencySchema } from '../../machines/contract-agent/prompts.ts';
import { memoriesSchema, planSchema, recommendationSchema, routerSchema } from '../../machines/guide-agent/prompts.ts';
import { intentSchema } from '../../machines/plan-execute/prompts.ts';
import { standardJsonSchema } from '../../src/core/schema/standard-json-schema.ts';
import { canBeStrict, strictForm } from '../../src/models/openai/strict-schema.ts';

const reply = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text = { type: 'string' };
const flag = { type: 'boolean' };
const textOrNull = { type: ['string', 'null'] };

describe('the schemas of the replies', () => {
  it.each<[string, StandardSchema<unknown>, JsonObject, boolean]>([
    [
      'plan_execute.intent_classifier',
      intentSchema,
      {
        ...reply({
          intent: { type: 'string', enum: ['new_question', 'follow_up', 'clarification', 'chitchat'] },
          rewritten_query: text,
          needs_tool: flag,
          constraints: textOrNull,
        }),
        required: ['intent', 'rewritten_query', 'needs_tool'],
      },
      true,
    ],
    ['contract_agent.scope_validator', scopeSchema, reply({ in_scope: flag, references_previous_context: flag, reason: text }), true],
    ['contract_agent.check_previous_context', previousContextSchema, reply({ need_previous_context: flag, reasoning: text }), true],
    [
      'contract_agent.evaluate_sufficiency',
      sufficiencySchema,
      reply({ is_sufficient: flag, reasoning: text, missing_info: textOrNull }),
      true,
    ],
    ['chat_agent.router', routeSchema, reply({ route: { type: 'string', enum: ['rag', 'agent'] }, reason: text }), true],
    ['guide_agent.llm_router', routerSchema, reply({ is_complex_task: flag, reason: text }), true],
    [
      'guide_agent.planning_node',
      planSchema,
      reply({ sub_tasks: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 300 }, minItems: 2, maxItems: 5 } }),
      false,
    ],
    [
      'guide_agent.recommend_tool_node',
      recommendationSchema,
      reply({
        service: { type: 'string', minLength: 1, maxLength: 200 },
        reason: { type: 'string', minLength: 1, maxLength: 2_000 },
        source_ids: { type: 'array', items: text, maxItems: 20 },
      }),
      false,
    ],
    [
      'guide_agent.reflection_node',
      memoriesSchema,
      reply({
        memories: {
          type: 'array',
          maxItems: 10,
          items: reply({
            kind: { type: 'string', enum: ['preference', 'fact', 'feedback', 'goal'] },
            text: { type: 'string', minLength: 1, maxLength: 500 },
          }),
        },
      }),
      false,
    ],
  ])('of %s', (_, schema, sent, strict) => {
    expect(standardJsonSchema(schema)).toEqual(sent);
    expect(canBeStrict(strictForm(standardJsonSchema(schema)))).toBe(strict);
    expect(standardJsonSchema(schema)).toBe(standardJsonSchema(schema)); // validators compile it once
  });
});
