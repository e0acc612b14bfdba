import type { JsonObject, ToolSpec } from 'agent-machines';
import { type ArbitraryPlanOptions, arbitraryBrokenPlan, arbitraryPlan } from 'agent-machines/testing/fast-check';
import { PlanRejectedError, parsePlan } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const members: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'string', minLength: 2, maxLength: 5 },
  { type: 'string', pattern: '^[A-Z]{2}-[0-9]+$' },
  { type: 'string', format: 'date' },
  { type: 'integer', minimum: 1, maximum: 50 },
  { type: 'number', exclusiveMinimum: 0, multipleOf: 0.25 },
  { enum: ['km', 'mi', null] },
  { const: 1 },
  { type: ['boolean', 'null'] },
  { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
  { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'boolean' } },
  { type: 'object', properties: { tag: { type: 'string' }, deep: { $ref: '#/$defs/tree' } }, required: ['tag'] },
  { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
  { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }] },
  { oneOf: [{ type: 'string' }, { type: 'null' }], description: 'either' },
  { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 9 }], not: { const: 5 } },
  { $ref: '#/$defs/tree' },
];
const $defs = { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' }, leaf: { type: 'string' } } } };

const names = ['query', 'a/b', 'limit', 'toString'];
const schema = fc
  .record({
    properties: fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...members), { maxKeys: 3, noNullPrototype: true }),
    required: fc.subarray(names),
  })
  .map(
    ({ properties, required }): JsonObject => ({
      type: 'object',
      properties,
      required: required.filter((name) => Object.hasOwn(properties, name)),
      $defs,
    }),
  );
/** Compiling a schema takes longer than all that is done with it here, so tools share them. */
const schemas = fc.sample(schema, 60);
const tool: fc.Arbitrary<ToolSpec> = fc.record(
  {
    name: fc.constantFrom('search', 'read.file', 'send-mail', 'NOW', 'not a name', '2'),
    inputSchema: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...schemas) },
      { weight: 1, arbitrary: fc.constant<JsonObject>({ type: 'words' }) },
    ),
    primaryInput: fc.constantFrom(...names),
    risk: fc.constantFrom('low' as const, 'high' as const),
  },
  { requiredKeys: ['name', 'inputSchema'] },
);
const circumstances: fc.Arbitrary<ArbitraryPlanOptions> = fc.constantFrom<ArbitraryPlanOptions>(
  {},
  { maxSteps: 2 },
  { completed: [{ step_id: 3, status: 'success' }], accepted: [{ step_id: 3, tool: 'search' }] },
  {
    origin: 'replanner',
    completed: [
      { step_id: 3, status: 'success' },
      { step_id: 4, status: 'failure' },
    ],
    accepted: [
      { step_id: 3, tool: 'search' },
      { step_id: 4, tool: 'NOW' },
    ],
  },
);
const offered = fc.tuple(fc.array(tool, { maxLength: 4 }), circumstances);
const seed = fc.integer();

const codesOf = (refused: () => unknown): readonly string[] => {
  try {
    refused();
    return ['accepted'];
  } catch (error) {
    if (!(error instanceof PlanRejectedError)) throw error;
    return error.issues.map(({ code }) => code);
  }
};

describe('arbitraryPlan', () => {
  it('generates plans for any tools that the gate accepts', () => {
    const seen = { steps: 0, references: 0, texts: 0, ways: new Set<string>() };
    fc.assert(
      fc.property(offered, seed, ([tools, options], from) => {
        for (const plan of fc.sample(arbitraryPlan(tools, options), { numRuns: 10, seed: from })) {
          parsePlan(JSON.stringify(plan), { ...options, tools });
          for (const { input, input_from: awaited } of plan.steps) {
            seen.steps++;
            seen.references += awaited === undefined ? 0 : 1;
            seen.texts += typeof input === 'string' ? 1 : 0;
            seen.ways.add(`${typeof input} ${typeof awaited}`);
          }
        }
      }),
      { numRuns: 50 },
    );
    expect(seen.steps).toBeGreaterThan(300);
    expect(seen.references).toBeGreaterThan(50);
    expect(seen.ways.size).toBeGreaterThanOrEqual(6);
  });

  it('shrinks to the faulty step', () => {
    const tools: readonly ToolSpec[] = ['search', 'read'].map((name) => ({
      name,
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
        required: ['query'],
      },
    }));
    const found = fc.check(
      fc.property(arbitraryPlan(tools), ({ steps }) => steps.every(({ tool: name, input_from: from }) => name !== 'read' || !from)),
      { seed: 1, numRuns: 1_000 },
    );
    const [plan] = found.counterexample ?? [];
    expect(plan?.steps).toEqual([
      { step_id: 1, tool: 'search', input: { query: '' } },
      { step_id: 2, tool: 'read', input: {}, input_from: { query: 'step_1' } },
    ]);
  });

  it('uses given arguments and refuses a tool without any', () => {
    const tools: readonly ToolSpec[] = [
      { name: 'odd', inputSchema: { type: 'object', properties: { n: { type: 'integer', not: { type: 'integer' } } }, required: ['n'] } },
    ];
    expect(() => arbitraryPlan(tools)).toThrow('no value that matches the schema');
    const own = fc.sample(arbitraryPlan(tools, { arguments: { odd: fc.constant({ n: 1 }) } }), 20).flatMap(({ steps }) => steps);
    expect(own.filter(({ input }) => JSON.stringify(input) === '{"n":1}').length).toBeGreaterThan(10);
  });
});

describe('arbitraryBrokenPlan', () => {
  it('generates plans for any tools that the gate rejects with the named code', () => {
    const found = new Set<string>();
    fc.assert(
      fc.property(offered, seed, ([tools, options], from) => {
        for (const { source, code } of fc.sample(arbitraryBrokenPlan(tools, options), { numRuns: 20, seed: from })) {
          expect(codesOf(() => parsePlan(source, { ...options, tools }))).toContain(code);
          found.add(code);
        }
      }),
      { numRuns: 50 },
    );
    expect(found.size).toBeGreaterThan(10);
  });

  it.each([
    'ARGUMENT_INVALID',
    'ARGUMENT_TWICE',
    'CYCLE',
    'NOT_JSON',
    'NO_PRIMARY_INPUT',
    'REFERENCE_FAILED',
    'REFERENCE_LATER',
    'REFERENCE_MISSING',
    'REFERENCE_SELF',
    'SCHEMA',
    'STEP_ID_DUPLICATE',
    'STEP_ID_USED',
    'TOOL_AMBIGUOUS',
    'TOOL_REFUSED',
    'TOOL_RISK',
    'TOOL_UNKNOWN',
    'TOO_MANY_STEPS',
  ] as const)('generates plans that the gate rejects with %s', (code) => {
    const [inputSchema] = schemas.filter(({ properties }) => Object.keys(properties as object).length > 0);
    const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const tools: readonly ToolSpec[] = [
      { name: 'search', inputSchema: inputSchema ?? text },
      {
        name: 'mail',
        inputSchema: { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' } }, required: ['to', 'text'] },
      },
      { name: 'pay', inputSchema: text, risk: 'high' },
      { name: 'twin', inputSchema: text },
      { name: 'twin', inputSchema: text },
      { name: 'not a name', inputSchema: text },
    ];
    const options: ArbitraryPlanOptions = {
      origin: 'replanner',
      completed: [
        { step_id: 3, status: 'success' },
        { step_id: 4, status: 'failure' },
      ],
      accepted: [{ step_id: 3, tool: 'search' }],
    };
    for (const made of fc.sample(arbitraryBrokenPlan(tools, { ...options, only: [code] }), 20)) {
      expect(made.code).toBe(code);
      expect(codesOf(() => parsePlan(made.source, { ...options, tools }))).toContain(code);
    }
  });

  it('generates only the requested faults and fails if none is possible', () => {
    const tools: readonly ToolSpec[] = [{ name: 'now', inputSchema: { type: 'object', properties: {} }, risk: 'high' }];
    const made = fc.sample(arbitraryBrokenPlan(tools, { only: ['TOOL_RISK'], origin: 'replanner' }), 20);
    expect(new Set(made.map(({ fault }) => fault))).toEqual(new Set(['a high-risk tool that a replan adds']));
    expect(() => arbitraryBrokenPlan(tools, { only: ['TOOL_RISK'] })).toThrow('no plan with such a fault for these tools');
  });
});
