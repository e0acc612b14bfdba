import { type Json, type JsonObject, type JsonSchema, type ToolSpec, WorkflowError } from 'agent-machines';
import {
  executePlan,
  jsonSchemaValidator,
  type ParsePlanOptions,
  type PlanIssue,
  PlanRejectedError,
  parsePlan,
  planSchema,
  type ValidatedPlan,
} from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const spec = (name: string, properties: JsonObject, required: readonly string[] = [], more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  inputSchema: { type: 'object', properties, required },
  ...more,
});
const text = { type: 'string' };
const number = { type: 'number' };

const search = spec('web_search', { query: text, limit: { type: 'integer', minimum: 1 } }, ['query']);
const summarize = spec('summarize', { text }, ['text']);
const convert = spec('convert', { value: number, unit: { enum: ['km', 'mi'] } }, ['value', 'unit']);
const remove = spec('delete_file', { path: text }, ['path'], { risk: 'high' });
const tools = [search, summarize, convert, remove];

const planOf = (...steps: readonly unknown[]): string => JSON.stringify({ steps });
const accept = (source: string | JsonObject, options: Partial<ParsePlanOptions> = {}): ValidatedPlan =>
  parsePlan(source, { tools, ...options });

/** Why a plan is refused. */
function issuesOf(source: string | JsonObject, options: Partial<ParsePlanOptions> = {}): readonly PlanIssue[] {
  try {
    accept(source, options);
  } catch (error) {
    if (error instanceof PlanRejectedError) return error.issues;
    throw error;
  }
  return [];
}

const codesOf = (source: string | JsonObject, options?: Partial<ParsePlanOptions>): readonly string[] =>
  issuesOf(source, options).map(({ code, path }) => `${code} ${path}`);

describe('parsePlan', () => {
  const steps: readonly JsonObject[] = [
    { step_id: 1, tool: 'web_search', input: 'LangGraph' },
    { step_id: 2, tool: 'summarize', input_from: 'step_1' },
    { step_id: 7, tool: 'web_search', input: { limit: 3 }, input_from: { query: 'step_2#/title' } },
  ];

  it('accepts a plan, and returns it unchanged', () => {
    expect(accept(planOf(...steps))).toEqual({ steps });
    expect(accept(`\n\`\`\`json\n${planOf(...steps)}\n\`\`\`\n`)).toEqual({ steps });
    expect(accept({ steps })).toEqual({ steps });
  });

  it('accepts a plan without steps', () => {
    expect(accept('{"steps":[]}')).toEqual({ steps: [] });
  });

  it('accepts a step without input for a tool that needs none', () => {
    expect(codesOf(planOf({ step_id: 1, tool: 'now' }, { step_id: 2, tool: 'now', input: {} }), { tools: [spec('now', {})] })).toEqual([]);
  });

  it('marks the returned object, and no copy, as executable', async () => {
    const plan = accept(planOf(...steps));
    await expect(executePlan(plan, { tools: [] })).resolves.toHaveProperty('results');
    const copies: readonly ValidatedPlan[] = [{ ...plan }, structuredClone(plan), JSON.parse(JSON.stringify(plan)), Object.create(plan)];
    for (const copy of copies) await expect(executePlan(copy, { tools: [] })).rejects.toMatchObject({ code: 'PLAN_NOT_VALIDATED' });
  });

  it('returns a frozen plan', () => {
    const plan = accept({ steps });
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(plan)).toBe(true);
    expect(plan.steps).not.toBe(steps);
  });

  it('keeps the plan unchanged by later changes of its source', () => {
    const source = { steps: [{ step_id: 1, tool: 'web_search', input: { query: 'a' } }] };
    const plan = accept(source);
    Object.assign(source.steps[0] ?? {}, { tool: 'delete_file' });
    expect(plan.steps).toMatchObject([{ tool: 'web_search' }]);
  });

  it('throws an error with the reason, a hint and the issues as data', () => {
    const error = expect.objectContaining({
      name: 'PlanRejectedError',
      code: 'PLAN_REJECTED',
      retryable: false,
      message: expect.stringMatching(/^The plan was rejected: .*"shred".*\.$/),
      hint: expect.stringMatching(/./),
      issues: [{ code: 'TOOL_UNKNOWN', path: '/steps/0/tool', message: expect.stringContaining('"shred"') }],
      data: { issues: [{ code: 'TOOL_UNKNOWN', path: '/steps/0/tool', message: expect.stringContaining('"shred"') }] },
    });
    const refused = (): unknown => accept(planOf({ step_id: 1, tool: 'shred' }));
    expect(refused).toThrow(error);
    expect(refused).toThrow(PlanRejectedError);
    expect(refused).toThrow(WorkflowError);
  });

  it.each<[string, string]>([
    ['steps of a wrong form', planOf(...Array.from({ length: 5_000 }, () => ({ tool: 5, more: 1 })))],
    [
      'arguments that are not taken',
      planOf({ step_id: 1, tool: 'summarize', input: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${n}`, 1])) }),
    ],
    ['a long name', planOf({ step_id: 1, tool: 'x'.repeat(100_000) })],
    ['a long argument', planOf({ step_id: 1, tool: 'summarize', input: { text: 'x', ['y'.repeat(100_000)]: 1 } })],
    ['a long key twice', `{"${'k'.repeat(100_000)}":1,"${'k'.repeat(100_000)}":1}`],
    ['a long number', `{"steps":${'9'.repeat(100_000)}}`],
  ])('says what is wrong with %s in a few words', (_, plan) => {
    const refused = (): unknown => accept(plan);
    expect(refused).toThrow(PlanRejectedError);
    try {
      refused();
    } catch (error) {
      expect(WorkflowError.isInstance(error) && error.message.length).toBeLessThanOrEqual(4_000);
      expect(JSON.stringify(error).length).toBeLessThan(18_000);
    }
  });

  it('reports every issue, step by step', () => {
    const plan = planOf(
      { step_id: 1, tool: 'shred' },
      { step_id: 1, tool: 'web_search', input: { query: 5, deep: true } },
      { step_id: 3, tool: 'summarize', input_from: 'step_9' },
      { step_id: 4, tool: 'convert', input: 'x' },
    );
    expect(codesOf(plan)).toEqual([
      'TOOL_UNKNOWN /steps/0/tool',
      'STEP_ID_DUPLICATE /steps/1/step_id',
      ...codesOf(
        planOf({ step_id: 8, tool: 'web_search', input: 'x' }, { step_id: 9, tool: 'web_search', input: { query: 5, deep: true } }),
      ),
      'REFERENCE_MISSING /steps/2/input_from',
      'NO_PRIMARY_INPUT /steps/3/input',
    ]);
  });
});

describe('parsePlan: the text', () => {
  it.each([
    ['', 'nothing'],
    ['I will search the web.', 'prose'],
    ['{"steps":[}', 'broken JSON'],
    ['{"steps":[],}', 'a trailing comma'],
    ["{'steps':[]}", 'Python'],
    ['{"steps":[]} done', 'a word after it'],
    ['Plan: {"steps":[]}', 'a word before it'],
    ['```json\n{"steps":[]}\n``` done', 'a word after the fence'],
    ['{"steps":[],"steps":[]}', 'a duplicate key'],
    ['{"steps":[],"__proto__":{}}', 'the key __proto__'],
    ['{"steps":[{"step_id":1,"tool":"web_search","input":{"query":"x","constructor":1}}]}', 'the key constructor'],
    ['{"steps":[{"step_id":99999999999999999999,"tool":"web_search","input":"x"}]}', 'a number that would be rounded'],
  ])('is refused as NOT_JSON: %s (%s)', (source) => {
    expect(codesOf(source)).toEqual(['NOT_JSON ']);
  });

  it('gives the reason that it is not JSON', () => {
    expect(issuesOf('{"steps":[],"steps":[]}')[0]?.message).toContain('"steps" occurs twice');
  });

  it('may be passed as a value, which must be JSON', () => {
    const source = { steps: [{ step_id: 1, tool: 'web_search', input: { query: Number.NaN } }] };
    expect(issuesOf(source)).toEqual([
      { code: 'NOT_JSON', path: '', message: expect.stringContaining('plan.steps[0].input.query is NaN') },
    ]);
  });
});

describe('parsePlan: the form', () => {
  const step = { step_id: 1, tool: 'web_search', input: 'x' };

  it.each<[string, Json, string]>([
    ['a list at the top', [step], 'SCHEMA '],
    ['null at the top', null, 'SCHEMA '],
    ['a text at the top', 'steps', 'SCHEMA '],
    ['a number at the top', 1, 'SCHEMA '],
    ['no steps', {}, 'SCHEMA '],
    ['steps that are no list', { steps: step }, 'SCHEMA /steps'],
    ['steps that are null', { steps: null }, 'SCHEMA /steps'],
    ['another key at the top', { steps: [step], reason: 'x' }, 'SCHEMA /reason'],
    ['a step that is a text', { steps: ['web_search'] }, 'SCHEMA /steps/0'],
    ['a step that is null', { steps: [step, null] }, 'SCHEMA /steps/1'],
    ['a step without an id', { steps: [{ tool: 'web_search', input: 'x' }] }, 'SCHEMA /steps/0'],
    ['a step without a tool', { steps: [{ step_id: 1, input: 'x' }] }, 'SCHEMA /steps/0'],
    ['another key in a step', { steps: [{ ...step, why: 'x' }] }, 'SCHEMA /steps/0/why'],
    ['a key in other case', { steps: [{ ...step, Tool: 'x' }] }, 'SCHEMA /steps/0/Tool'],
    ['an id of 0', { steps: [{ ...step, step_id: 0 }] }, 'SCHEMA /steps/0/step_id'],
    ['a negative id', { steps: [{ ...step, step_id: -1 }] }, 'SCHEMA /steps/0/step_id'],
    ['a broken id', { steps: [{ ...step, step_id: 1.5 }] }, 'SCHEMA /steps/0/step_id'],
    ['an id in quotes', { steps: [{ ...step, step_id: '1' }] }, 'SCHEMA /steps/0/step_id'],
    ['an id of null', { steps: [{ ...step, step_id: null }] }, 'SCHEMA /steps/0/step_id'],
    ['an id that no reference can name', { steps: [{ ...step, step_id: 1_000_000_000 }] }, 'SCHEMA /steps/0/step_id'],
    ['a tool without a name', { steps: [{ ...step, tool: '' }] }, 'SCHEMA /steps/0/tool'],
    ['a tool that is no text', { steps: [{ ...step, tool: ['web_search'] }] }, 'SCHEMA /steps/0/tool'],
    ['an input of null', { steps: [{ ...step, input: null }] }, 'SCHEMA /steps/0/input'],
    ['an input that is a list', { steps: [{ ...step, input: ['x'] }] }, 'SCHEMA /steps/0/input'],
    ['an input that is a number', { steps: [{ ...step, input: 1 }] }, 'SCHEMA /steps/0/input'],
    ['an input_from of null', { steps: [{ ...step, input_from: null }] }, 'SCHEMA /steps/0/input_from'],
    ['an input_from that names nothing', { steps: [{ ...step, input_from: {} }] }, 'SCHEMA /steps/0/input_from'],
    ['an input_from that is a number', { steps: [{ ...step, input_from: 1 }] }, 'SCHEMA /steps/0/input_from'],
    ['an input_from that is a list', { steps: [{ ...step, input_from: ['step_1'] }] }, 'SCHEMA /steps/0/input_from'],
    ['an input_from that is no reference', { steps: [{ ...step, input_from: 'step 1' }] }, 'SCHEMA /steps/0/input_from'],
    ['an input_from that names step 0', { steps: [{ ...step, input_from: 'step_0' }] }, 'SCHEMA /steps/0/input_from'],
    ['a named input_from that is no reference', { steps: [{ ...step, input_from: { limit: '1' } }] }, 'SCHEMA /steps/0/input_from/limit'],
    ['a named input_from that is no text', { steps: [{ ...step, input_from: { limit: 1 } }] }, 'SCHEMA /steps/0/input_from/limit'],
  ])('refuses %s', (_, plan, expected) => {
    expect(codesOf(JSON.stringify(plan))).toContain(expected);
    expect(new Set(issuesOf(JSON.stringify(plan)).map(({ code }) => code))).toEqual(new Set(['SCHEMA']));
  });

  it('accepts the greatest id that a reference can name', () => {
    expect(codesOf(planOf({ ...step, step_id: 999_999_999 }))).toEqual([]);
  });

  it('names every fault of the form', () => {
    expect(codesOf(JSON.stringify({ steps: [{ tool: 1 }, { ...step, step_id: 'x' }] }))).toEqual([
      'SCHEMA /steps/0',
      'SCHEMA /steps/0/tool',
      'SCHEMA /steps/1/step_id',
    ]);
  });
});

describe('parsePlan: the number of steps', () => {
  const many = (count: number): string =>
    planOf(...Array.from({ length: count }, (_, i) => ({ step_id: i + 1, tool: 'web_search', input: 'x' })));

  it('is at most 20 by default', () => {
    expect(codesOf(many(20))).toEqual([]);
    expect(codesOf(many(21))).toEqual(['TOO_MANY_STEPS /steps']);
    expect(codesOf(many(21), { maxSteps: 21 })).toEqual([]);
    expect(codesOf(many(3), { maxSteps: 2 })).toEqual(['TOO_MANY_STEPS /steps']);
    expect(codesOf(many(1), { maxSteps: 0 })).toEqual(['TOO_MANY_STEPS /steps']);
  });

  it('is the only issue of a plan with 1,000 steps', () => {
    const [issue, ...others] = issuesOf(many(1_000));
    expect(issue?.message).toBe('has 1000 steps, more than the limit of 20');
    expect(others).toEqual([]);
  });
});

describe('parsePlan: step ids', () => {
  const step = (step_id: number): JsonObject => ({ step_id, tool: 'web_search', input: `${step_id}` });

  it('may come in any order and with gaps', () => {
    expect(codesOf(planOf(step(5), step(2), step(900)))).toEqual([]);
  });

  it('are unique in the plan', () => {
    expect(codesOf(planOf(step(1), step(2), step(1), step(2), step(1)))).toEqual([
      'STEP_ID_DUPLICATE /steps/2/step_id',
      'STEP_ID_DUPLICATE /steps/3/step_id',
      'STEP_ID_DUPLICATE /steps/4/step_id',
    ]);
  });

  it('differ from those of completed steps', () => {
    const completed = [
      { step_id: 1, status: 'success' },
      { step_id: 2, status: 'failure' },
    ] as const;
    expect(codesOf(planOf(step(1), step(2), step(3)), { completed })).toEqual([
      'STEP_ID_USED /steps/0/step_id',
      'STEP_ID_USED /steps/1/step_id',
    ]);
  });

  it('exceed those of every accepted plan in a replan', () => {
    const accepted = [
      { step_id: 3, tool: 'web_search' },
      { step_id: 8, tool: 'summarize' },
      { step_id: 5, tool: 'web_search' },
    ];
    const completed = [{ step_id: 3, status: 'success' }] as const;
    const plan = planOf(step(3), step(4), step(8), step(9));
    expect(codesOf(plan, { origin: 'replanner', accepted, completed })).toEqual([
      'STEP_ID_USED /steps/0/step_id',
      'STEP_ID_USED /steps/1/step_id',
      'STEP_ID_USED /steps/2/step_id',
    ]);
    expect(codesOf(plan, { accepted, completed })).toEqual(['STEP_ID_USED /steps/0/step_id']);
    expect(codesOf(planOf(step(9), step(10)), { origin: 'replanner', accepted, completed })).toEqual([]);
  });
});

describe('parsePlan: tools', () => {
  it.each([
    ['the name in another case', 'Web_Search'],
    ['the name in capitals', 'WEB_SEARCH'],
    ['the name with a hyphen', 'web-search'],
    ['the name with spaces around it', ' web_search '],
    ['the name with a Cyrillic е', 'w\u0435b_search'],
    ['the name in full-width letters', 'ｗｅｂ＿ｓｅａｒｃｈ'],
    ['the name with a zero-width space', 'web\u200b_search'],
    ['the name with a zero-width joiner at its end', 'web_search\u200d'],
    ['the name with a tag character', 'web_search\u{e0061}'],
    ['the name behind a bidi override', '\u202eweb_search'],
    ['the name with a combining mark', 'web_search\u0301'],
    ['the name with a NUL', 'web_search\0'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['a tool that is not granted', 'read_file'],
  ])('refuses %s', (_, tool) => {
    expect(codesOf(planOf({ step_id: 1, tool, input: 'x' }))).toEqual(['TOOL_UNKNOWN /steps/0/tool']);
  });

  it('suggests the offered tool with a similar name', () => {
    const messageOf = (tool: string): string | undefined => issuesOf(planOf({ step_id: 1, tool, input: 'x' }))[0]?.message;
    expect(messageOf('Web-Search')).toBe('is "Web-Search", which is not offered (but "web_search" is)');
    expect(messageOf('ｓｕｍｍａｒｉｚｅ')).toContain('(but "summarize" is)');
    expect(messageOf('shred')).toBe('is "shred", which is not offered');
  });

  it('offers only the tools of this call', () => {
    const plan = planOf({ step_id: 1, tool: 'summarize', input: 'x' });
    expect(codesOf(plan)).toEqual([]);
    expect(codesOf(plan, { tools: [search] })).toEqual(['TOOL_UNKNOWN /steps/0/tool']);
    expect(codesOf(plan, { tools: [] })).toEqual(['TOOL_UNKNOWN /steps/0/tool']);
  });

  it('refuses a name of several tools', () => {
    const plan = planOf({ step_id: 1, tool: 'summarize', input: 'x' }, { step_id: 2, tool: 'web_search', input: 'x' });
    expect(codesOf(plan, { tools: [...tools, spec('summarize', { text }, ['text'])] })).toEqual(['TOOL_AMBIGUOUS /steps/0/tool']);
  });

  it('refuses only the tool with an unusable schema', () => {
    const broken = (inputSchema: JsonSchema): ToolSpec => ({ name: 'broken', inputSchema });
    const plan = planOf({ step_id: 1, tool: 'broken', input: {} }, { step_id: 2, tool: 'web_search', input: 'x' });
    const unusable: readonly JsonSchema[] = [
      { properties: { a: { type: 'text' } } },
      { $ref: '#/nothing' },
      { type: 'string' },
      true,
      false,
    ];
    for (const schema of unusable) {
      expect(codesOf(plan, { tools: [...tools, broken(schema)] })).toEqual(['TOOL_REFUSED /steps/0/tool']);
      expect(codesOf(planOf({ step_id: 2, tool: 'web_search', input: 'x' }), { tools: [...tools, broken(schema)] })).toEqual([]);
    }
  });

  it('refuses a high-risk tool in a replan if no accepted plan had it', () => {
    const plan = planOf({ step_id: 9, tool: 'delete_file', input: '/tmp/x' });
    const withSearch = [{ step_id: 1, tool: 'web_search' }];
    const withDelete = [...withSearch, { step_id: 2, tool: 'delete_file' }];
    expect(codesOf(plan)).toEqual([]);
    expect(codesOf(plan, { origin: 'replanner' })).toEqual(['TOOL_RISK /steps/0/tool']);
    expect(codesOf(plan, { origin: 'replanner', accepted: withSearch })).toEqual(['TOOL_RISK /steps/0/tool']);
    expect(codesOf(plan, { origin: 'replanner', accepted: withDelete })).toEqual([]);
    expect(codesOf(plan, { origin: 'planner', accepted: withSearch })).toEqual([]);
    const lowRisk = planOf({ step_id: 9, tool: 'summarize', input: 'x' });
    expect(codesOf(lowRisk, { origin: 'replanner', accepted: withSearch })).toEqual([]);
    expect(codesOf(lowRisk, { origin: 'replanner', tools: [{ ...summarize, risk: 'low' }] })).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['refers to itself', { $ref: '#' }, 'endless reference to itself'],
    ['has a pattern that refers back', { properties: { query: { pattern: '(a)\\1' } } }, 'has a back reference'],
    ['is no schema', { properties: { query: 5 } }, 'schema is invalid'],
  ])('refuses a tool whose schema %s, with its name and the reason', (_, inputSchema, reason) => {
    const [issue, ...others] = issuesOf(planOf({ step_id: 1, tool: 'foreign', input: {} }), { tools: [{ name: 'foreign', inputSchema }] });
    expect(issue).toMatchObject({ code: 'TOOL_REFUSED', path: '/steps/0/tool' });
    expect(issue?.message).toMatch(new RegExp(`"foreign".*${reason}`));
    expect(others).toEqual([]);
  });

  it('compiles only the schemas of the tools in the plan', () => {
    const compiledSchemas: JsonSchema[] = [];
    const validator: typeof jsonSchemaValidator = {
      compile(schema) {
        compiledSchemas.push(schema);
        return jsonSchemaValidator.compile(schema);
      },
    };
    const many = Array.from({ length: 4_000 }, (_, i) => spec(`tool_${i}`, { query: text }, ['query']));
    const plan = planOf({ step_id: 1, tool: 'tool_3999', input: 'x' }, { step_id: 2, tool: 'tool_0', input: 'x' });
    expect(accept(plan, { tools: many, validator }).steps).toHaveLength(2);
    expect(compiledSchemas.filter((schema) => many.some(({ inputSchema }) => inputSchema === schema))).toEqual([
      many[3_999]?.inputSchema,
      many[0]?.inputSchema,
    ]);
  });

  it('reads each of 4,000 offered tools at most a few times', () => {
    let reads = 0;
    const counted = Array.from({ length: 4_000 }, (_, i): ToolSpec => {
      const { inputSchema } = summarize;
      return {
        inputSchema,
        get name() {
          reads++;
          return `tool_${i}`;
        },
      };
    });
    accept(planOf(...Array.from({ length: 20 }, (_, i) => ({ step_id: i + 1, tool: `tool_${3_980 + i}`, input: 'x' }))), {
      tools: counted,
    });
    expect(reads).toBeLessThanOrEqual(3 * counted.length);
  });
});

describe('parsePlan: arguments', () => {
  const only = (step: JsonObject, more: Partial<ParsePlanOptions> = {}): readonly string[] =>
    codesOf(planOf({ step_id: 1, tool: 'web_search', input: 'x' }, { step_id: 2, ...step }), more);

  it.each<[string, JsonObject, readonly string[]]>([
    ['a text that is no number', { tool: 'convert', input: { value: '5', unit: 'km' } }, ['ARGUMENT_INVALID /steps/1/input/value']],
    ['a missing argument', { tool: 'convert', input: { value: 5 } }, ['ARGUMENT_INVALID /steps/1/input']],
    ['a value that is not listed', { tool: 'convert', input: { value: 5, unit: 'KM' } }, ['ARGUMENT_INVALID /steps/1/input/unit']],
    ['an extra argument', { tool: 'web_search', input: { query: 'x', safe: false } }, ['ARGUMENT_INVALID /steps/1/input/safe']],
    ['an argument in other case', { tool: 'summarize', input: { text: 'x', Text: 'x' } }, ['ARGUMENT_INVALID /steps/1/input/Text']],
    ['no arguments', { tool: 'web_search' }, ['ARGUMENT_INVALID /steps/1/input']],
    ['empty arguments', { tool: 'web_search', input: {} }, ['ARGUMENT_INVALID /steps/1/input']],
    ['a number below its minimum', { tool: 'web_search', input: { query: 'x', limit: 0 } }, ['ARGUMENT_INVALID /steps/1/input/limit']],
    ['an argument of null', { tool: 'web_search', input: { query: null } }, ['ARGUMENT_INVALID /steps/1/input/query']],
  ])('refuses %s', (_, step, expected) => {
    expect(only(step)).toEqual(expected);
  });

  it('names each fault of the arguments', () => {
    expect(only({ tool: 'convert', input: { value: '5', unit: 'x', why: 1 } })).toHaveLength(3);
  });

  it('escapes the names of arguments in pointers', () => {
    expect(only({ tool: 'summarize', input: { text: 'x', 'a/b~c': 1 } })).toEqual(['ARGUMENT_INVALID /steps/1/input/a~1b~0c']);
  });

  it('puts a plain text into the primary input, and refuses it if there is none', () => {
    expect(only({ tool: 'summarize', input: 'x' })).toEqual([]);
    expect(only({ tool: 'convert', input: '5 km' })).toEqual(['NO_PRIMARY_INPUT /steps/1/input']);
    expect(only({ tool: 'convert', input_from: 'step_1' })).toEqual(['NO_PRIMARY_INPUT /steps/1/input_from']);
    const declared = { ...convert, primaryInput: 'unit' };
    expect(only({ tool: 'convert', input: 'km', input_from: { value: 'step_1' } }, { tools: [search, declared] })).toEqual([]);
    expect(only({ tool: 'convert', input: 'miles', input_from: { value: 'step_1' } }, { tools: [search, declared] })).toEqual([
      'ARGUMENT_INVALID /steps/1/input',
    ]);
  });

  it('checks a plain text against the schema of the primary input', () => {
    const short = spec('short', { text: { type: 'string', maxLength: 2 } }, ['text']);
    expect(only({ tool: 'short', input: 'ab' }, { tools: [search, short] })).toEqual([]);
    expect(only({ tool: 'short', input: 'abc' }, { tools: [search, short] })).toEqual(['ARGUMENT_INVALID /steps/1/input']);
  });

  it('counts arguments from other steps as present, whatever their type', () => {
    expect(only({ tool: 'summarize', input_from: 'step_1' })).toEqual([]);
    expect(only({ tool: 'convert', input: { unit: 'km' }, input_from: { value: 'step_1#/distance' } })).toEqual([]);
    expect(only({ tool: 'convert', input_from: { value: 'step_1#/a', unit: 'step_1#/b' } })).toEqual([]);
    expect(only({ tool: 'convert', input_from: { value: 'step_1#/a' } })).toEqual(['ARGUMENT_INVALID /steps/1/input']);
    const nested = spec('nested', { filter: { type: 'object', properties: { tag: text }, required: ['tag'] } }, ['filter']);
    expect(only({ tool: 'nested', input_from: { filter: 'step_1' } }, { tools: [search, nested] })).toEqual([]);
  });

  it('still checks the arguments beside those from other steps', () => {
    expect(only({ tool: 'convert', input: { unit: 'x' }, input_from: { value: 'step_1' } })).toEqual([
      'ARGUMENT_INVALID /steps/1/input/unit',
    ]);
    const near = spec('near', { a: text, ab: number }, []);
    expect(only({ tool: 'near', input: { ab: 'x' }, input_from: { a: 'step_1' } }, { tools: [search, near] })).toEqual([
      'ARGUMENT_INVALID /steps/1/input/ab',
    ]);
  });

  it.each<[string, JsonObject]>([
    ['anyOf', { anyOf: [{ required: ['amount'] }, { required: ['note'] }] }],
    ['allOf', { allOf: [{ required: ['amount'] }] }],
    ['oneOf', { oneOf: [{ properties: { note: text } }] }],
    ['not', { not: { required: ['never'] } }],
    ['$ref', { $ref: '#/$defs/more', $defs: { more: { required: ['note'] } } }],
    ['if', { if: { properties: { note: { const: 'x' } } }, else: { required: ['amount'] } }],
    ['dependentSchemas', { dependentSchemas: { note: { required: ['amount'] } } }],
  ])('still checks them in a schema with %s', (_, more) => {
    const record: ToolSpec = { name: 'record', inputSchema: { type: 'object', properties: { amount: number, note: text }, ...more } };
    const step = (amount: Json): JsonObject => ({ tool: 'record', input: { amount }, input_from: { note: 'step_1' } });
    expect(only(step(10), { tools: [search, record] })).toEqual([]);
    expect(only(step('ten'), { tools: [search, record] })).toContain('ARGUMENT_INVALID /steps/1/input/amount');
  });

  it('refuses an undeclared argument from another step', () => {
    expect(only({ tool: 'summarize', input: { text: 'x' }, input_from: { extra: 'step_1' } })).toEqual([
      'ARGUMENT_INVALID /steps/1/input_from/extra',
    ]);
    const closed = { name: 'closed', inputSchema: { type: 'object', properties: { text }, additionalProperties: false } };
    expect(only({ tool: 'closed', input_from: { extra: 'step_1' } }, { tools: [search, closed] })).toEqual([
      'ARGUMENT_INVALID /steps/1/input_from/extra',
    ]);
  });

  it('refuses an argument that input and input_from both fill', () => {
    expect(only({ tool: 'summarize', input: 'x', input_from: 'step_1' })).toEqual(['ARGUMENT_TWICE /steps/1/input_from']);
    expect(only({ tool: 'summarize', input: { text: 'x' }, input_from: 'step_1' })).toEqual(['ARGUMENT_TWICE /steps/1/input_from']);
    expect(only({ tool: 'web_search', input: { query: 'x', limit: 1 }, input_from: { query: 'step_1' } })).toEqual([
      'ARGUMENT_TWICE /steps/1/input_from',
    ]);
  });

  it('reports each fault once with its place, however many arguments are awaited', () => {
    let reads = 0;
    const faults = Array.from({ length: 1_000 }, (_, n) => ({
      keyword: 'x',
      message: 'is wrong',
      get path() {
        reads++;
        return `/a${n}`;
      },
    }));
    const { compile } = jsonSchemaValidator;
    const validator: typeof jsonSchemaValidator = {
      compile: (schema) => (schema === planSchema ? compile(schema) : { ok: true, ignored: [], check: () => faults }),
    };
    const from = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`a${n + 10}`, 'step_1']));
    const codes = codesOf(planOf({ step_id: 2, tool: 'web_search', input: {}, input_from: from }), { validator });
    expect([codes[0], codes[19]]).toEqual(['ARGUMENT_INVALID /steps/0/input/a0', 'ARGUMENT_INVALID /steps/0/input_from/a19']);
    expect(reads).toBeLessThan(4 * faults.length);
  });

  it('are checked by the given validator', () => {
    const strict: typeof jsonSchemaValidator = {
      compile: () => ({ ok: true, ignored: [], check: () => [{ path: '/query', keyword: 'own', message: 'is not liked' }] }),
    };
    expect(issuesOf(planOf({ step_id: 1, tool: 'web_search', input: 'x' }), { validator: strict })).toEqual([
      { code: 'SCHEMA', path: '/query', message: 'is not liked' },
    ]);
    const unusable: typeof jsonSchemaValidator = { compile: () => ({ ok: false, reason: 'no code may be made here' }) };
    expect(issuesOf(planOf(), { validator: unusable })).toMatchObject([
      { code: 'SCHEMA', path: '', message: expect.stringContaining('no code may be made here') },
    ]);
  });
});

describe('parsePlan: references', () => {
  const from = (step_id: number, input_from: Json): JsonObject => ({ step_id, tool: 'summarize', input_from });
  const both = spec('both', { a: text, b: text }, ['a', 'b']);

  it('may name any earlier step', () => {
    const first = { step_id: 7, tool: 'web_search', input: 'x' };
    expect(codesOf(planOf(first, from(3, 'step_7'), from(9, 'step_3#/0'), from(1, 'step_7#/results/0/text')))).toEqual([]);
  });

  it('may name a successful step', () => {
    const completed = [
      { step_id: 1, status: 'success' },
      { step_id: 2, status: 'failure' },
    ] as const;
    expect(codesOf(planOf(from(3, 'step_1')), { completed })).toEqual([]);
    expect(codesOf(planOf(from(3, 'step_2')), { completed })).toEqual(['REFERENCE_FAILED /steps/0/input_from']);
    expect(codesOf(planOf(from(3, 'step_1')))).toEqual(['REFERENCE_MISSING /steps/0/input_from']);
  });

  it.each<[string, readonly JsonObject[], readonly string[]]>([
    ['the step itself', [from(1, 'step_1')], ['REFERENCE_SELF /steps/0/input_from']],
    ['a step that is not there', [from(1, 'step_2')], ['REFERENCE_MISSING /steps/0/input_from']],
    ['a later step', [from(1, 'step_2'), { step_id: 2, tool: 'web_search', input: 'x' }], ['REFERENCE_LATER /steps/0/input_from']],
    ['each other', [from(1, 'step_2'), from(2, 'step_1')], ['CYCLE /steps/0/input_from']],
    ['one another, three of them', [from(1, 'step_3'), from(2, 'step_1'), from(3, 'step_2')], ['CYCLE /steps/0/input_from']],
    [
      'a later step that is in a cycle of its own',
      [from(1, 'step_2'), from(2, 'step_3'), from(3, 'step_2')],
      ['REFERENCE_LATER /steps/0/input_from', 'CYCLE /steps/1/input_from'],
    ],
  ])('are refused when they name %s', (_, steps, expected) => {
    expect(codesOf(planOf(...steps))).toEqual(expected);
  });

  it('are checked one by one, under the argument that they fill', () => {
    const plan = planOf(
      { step_id: 1, tool: 'web_search', input: 'x' },
      { step_id: 2, tool: 'both', input_from: { a: 'step_1', b: 'step_9' } },
      { step_id: 3, tool: 'both', input_from: { b: 'step_3', a: 'step_4' } },
      { step_id: 4, tool: 'web_search', input: 'x' },
    );
    expect(codesOf(plan, { tools: [search, both] })).toEqual([
      'REFERENCE_MISSING /steps/1/input_from/b',
      'REFERENCE_SELF /steps/2/input_from/b',
      'REFERENCE_LATER /steps/2/input_from/a',
    ]);
  });

  it('are checked even if the tool is unknown', () => {
    expect(codesOf(planOf({ step_id: 1, tool: 'shred', input_from: 'step_4' }))).toEqual([
      'TOOL_UNKNOWN /steps/0/tool',
      'REFERENCE_MISSING /steps/0/input_from',
    ]);
  });

  it('find a cycle through many steps', () => {
    const count = 500;
    const steps = Array.from({ length: count }, (_, i) => from(i + 1, `step_${i === 0 ? count : i}`));
    expect(codesOf(planOf(...steps), { maxSteps: count })).toEqual(['CYCLE /steps/0/input_from']);
  });
});

describe('parsePlan: awkward names and schemas', () => {
  const one = (tool: string, input: Json): string => planOf({ step_id: 1, tool, input });
  const slashed = (type: string): ToolSpec => spec('slashed', { 'a/b': { type } });

  it.each(['web\u200bsearch', 'web search', 'sеarch', 'a'.repeat(129)])('offers no tool %j', (name) => {
    expect(codesOf(one(name, {}), { tools: [spec(name, {})] })).toEqual(['TOOL_REFUSED /steps/0/tool']);
  });

  it('refuses a tool without a schema, and one with endless nesting', () => {
    let deep: JsonSchema = text;
    for (let depth = 0; depth < 20_000; depth++) deep = { type: 'object', properties: { a: deep } };
    expect(codesOf(one('deep', {}), { tools: [{ name: 'deep', inputSchema: deep }] })).toEqual(['TOOL_REFUSED /steps/0/tool']);
    const none = { name: 'none' } as unknown as ToolSpec;
    expect(codesOf(one('none', {}), { tools: [none] })).toEqual(['TOOL_REFUSED /steps/0/tool']);
  });

  it('distinguishes a fault of input.a.b from an awaited argument "a/b"', () => {
    const nested = spec('nested', { a: { type: 'object', properties: { b: number } }, 'a/b': text });
    const plan = planOf(
      { step_id: 1, tool: 'web_search', input: 'x' },
      { step_id: 2, tool: 'nested', input: { a: { b: 'no' } }, input_from: { 'a/b': 'step_1' } },
    );
    expect(codesOf(plan, { tools: [search, nested] })).toEqual(['ARGUMENT_INVALID /steps/1/input/a/b']);
  });

  it('writes pointers as JSON Pointer', () => {
    const plan = planOf({ step_id: 2, tool: 'slashed', input_from: { 'a/b': 'step_9' } });
    expect(codesOf(plan, { tools: [slashed('string')] })).toEqual(['REFERENCE_MISSING /steps/0/input_from/a~1b']);
  });

  it('leaves an awaited argument to the executor, whatever its name and schema', () => {
    const either = spec('either', { kind: text }, [], {});
    const alternatives: ToolSpec = {
      ...either,
      inputSchema: {
        ...(either.inputSchema as JsonObject),
        anyOf: [{ properties: { kind: { const: 'x' } } }, { properties: { kind: { const: 'y' } } }],
      },
    };
    const awaiting = (tool: string, name: string): string =>
      planOf({ step_id: 1, tool: 'web_search', input: 'x' }, { step_id: 2, tool, input_from: { [name]: 'step_1' } });
    expect(codesOf(awaiting('slashed', 'a/b'), { tools: [search, slashed('number')] })).toEqual([]);
    expect(codesOf(awaiting('either', 'kind'), { tools: [search, alternatives] })).toEqual([]);
  });

  it('reports issues in the order of the document', () => {
    expect(codesOf('{"steps":[{"step_id":"x","tool":"web_search"}],"z":1}')).toEqual(['SCHEMA /steps/0/step_id', 'SCHEMA /z']);
  });

  it.each([Number.NaN, -1, 1.5])('refuses %d as the maximum number of steps', (maxSteps) => {
    expect(() => accept(planOf(), { maxSteps })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
