import type { JsonObject } from 'agent-machines';
import { jsonSchemaValidator, planSchema } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

describe('planSchema', () => {
  it('is a schema that is checked in full', () => {
    expect(jsonSchemaValidator.compile(planSchema)).toMatchObject({ ok: true, ignored: [] });
  });

  it('accepts the plans of the docs', () => {
    const schema = jsonSchemaValidator.compile(planSchema);
    const steps: readonly JsonObject[] = [
      { step_id: 1, tool: 'web_search', input: 'LangGraph' },
      { step_id: 2, tool: 'summarize', input_from: 'step_1' },
      { step_id: 3, tool: 'lookup', input: { limit: 3 }, input_from: { query: 'step_1#/results/0/url' } },
    ];
    expect(schema.ok && schema.check({ steps })).toEqual([]);
    expect(schema.ok && schema.check({ steps: [{ ...steps[0], input: 3 }] })).toMatchObject([{ path: '/steps/0/input' }]);
  });

  it('is plain JSON that can be sent to a model', () => {
    expect(JSON.parse(JSON.stringify(planSchema))).toEqual(planSchema);
  });
});
