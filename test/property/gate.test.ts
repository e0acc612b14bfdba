import { canonicalJson, type Json, type JsonObject, noTaint, type Tool, type ToolSpec, WorkflowError } from 'agent-machines';
import { type CompletedStep, executePlan, PlanRejectedError, type PlanResult, type PlanStep, parsePlan } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isValidated } from '../../src/core/util/validated.ts';
import { share } from '../fixtures/share.ts';

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);

const isFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));

// ---------------------------------------------------------------------------------------------------------------------
// 1. The gate, against a specification that was written without looking at it.

interface OfferedTool {
  readonly specs: readonly ToolSpec[];
  /** Arguments that it takes, each with what its value must be. */
  readonly takes: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly needs: readonly string[];
  readonly primary?: string;
  readonly unusable?: true;
}

const anyText = (value: unknown): boolean => typeof value === 'string';
const text = { type: 'string' };
const spec = (name: string, inputSchema: JsonObject, more: Partial<ToolSpec> = {}): ToolSpec => ({ name, inputSchema, ...more });

const offered: Readonly<Record<string, OfferedTool>> = {
  web_search: {
    specs: [
      spec('web_search', {
        type: 'object',
        properties: { query: text, limit: { type: 'integer', minimum: 1, maximum: 50 } },
        required: ['query'],
      }),
    ],
    takes: { query: anyText, limit: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 50 },
    needs: ['query'],
    primary: 'query',
  },
  summarize: {
    specs: [spec('summarize', { type: 'object', 'x-vendor': 1, properties: { text }, required: ['text'], additionalProperties: true })],
    takes: { text: anyText },
    needs: ['text'],
    primary: 'text',
  },
  convert: {
    specs: [
      spec('convert', {
        properties: { value: { type: 'number' }, unit: { enum: ['km', 'mi'] } },
        required: ['value', 'unit'],
        additionalProperties: false,
      }),
    ],
    takes: { value: (value) => typeof value === 'number', unit: (value) => value === 'km' || value === 'mi' },
    needs: ['value', 'unit'],
  },
  pick: {
    specs: [spec('pick', { type: 'object', properties: { from: text, to: text }, required: ['from', 'to'] }, { primaryInput: 'to' })],
    takes: { from: anyText, to: anyText },
    needs: ['from', 'to'],
    primary: 'to',
  },
  lookup: {
    specs: [
      spec('lookup', {
        type: 'object',
        properties: {
          filter: { type: 'object', properties: { tag: text, deep: { type: 'boolean' } }, required: ['tag'] },
          ids: { type: 'array', items: { type: 'integer' } },
        },
        required: ['filter'],
      }),
    ],
    takes: {
      filter: (value) =>
        isObject(value) &&
        typeof value.tag === 'string' &&
        Object.entries(value).every(([key, member]) => key === 'tag' || (key === 'deep' && typeof member === 'boolean')),
      ids: (value) => Array.isArray(value) && value.every(Number.isInteger),
    },
    needs: ['filter'],
  },
  delete_file: {
    specs: [spec('delete_file', { type: 'object', properties: { path: text }, required: ['path'] }, { risk: 'high' })],
    takes: { path: anyText },
    needs: ['path'],
    primary: 'path',
  },
  now: { specs: [spec('now', { type: 'object', properties: {} })], takes: {}, needs: [] },
  broken: {
    specs: [spec('broken', { type: 'object', properties: { text: { type: 'words' } }, required: ['text'] })],
    takes: {},
    needs: [],
    unusable: true,
  },
  twin: {
    specs: [
      spec('twin', { type: 'object', properties: { text }, required: ['text'] }),
      spec('twin', { type: 'object', properties: { text }, required: ['text'] }),
    ],
    takes: { text: anyText },
    needs: ['text'],
    primary: 'text',
  },
};
const tools = Object.values(offered).flatMap(({ specs }) => specs);

interface Circumstances {
  readonly maxSteps: number;
  readonly completed: readonly CompletedStep[];
  readonly origin: 'planner' | 'replanner';
  readonly accepted: readonly { readonly step_id: number; readonly tool: string }[];
}

/** Reads strict JSON without duplicate or dangerous keys, and without integers that would be rounded. */
class NaiveReader {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** The value, or an exception. */
  read(): unknown {
    const value = this.#value();
    this.#space();
    if (this.#at < this.#source.length) throw new Error('more text');
    return value;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#source[this.#at] ?? '')) this.#at++;
  }

  #take(wanted: string): boolean {
    if (!this.#source.startsWith(wanted, this.#at)) return false;
    this.#at += wanted.length;
    return true;
  }

  #must(wanted: string): void {
    if (!this.#take(wanted)) throw new Error(`no ${wanted}`);
  }

  #value(): unknown {
    this.#space();
    if (this.#take('null')) return null;
    if (this.#take('true')) return true;
    if (this.#take('false')) return false;
    const next = this.#source[this.#at];
    if (next === '"') return this.#text();
    if (next === '[') return this.#list();
    if (next === '{') return this.#members();
    return this.#number();
  }

  #number(): number {
    const literal = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/.exec(this.#source.slice(this.#at))?.[0];
    if (literal === undefined) throw new Error('no value');
    this.#at += literal.length;
    const value = Number(literal);
    if (!Number.isFinite(value) || (/^-?[0-9]+$/.test(literal) && !Number.isSafeInteger(value))) throw new Error('rounded');
    return value;
  }

  #text(): string {
    this.#must('"');
    let result = '';
    for (;;) {
      const unit = this.#source[this.#at++];
      if (unit === undefined || unit < ' ') throw new Error('an open text');
      if (unit === '"') return result;
      if (unit !== '\\') {
        result += unit;
        continue;
      }
      const escaped = this.#source[this.#at++] ?? '';
      const short = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[escaped];
      if (short !== undefined) {
        result += short;
        continue;
      }
      const hex = this.#source.slice(this.#at, this.#at + 4);
      if (escaped !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) throw new Error('no escape');
      this.#at += 4;
      result += String.fromCharCode(Number.parseInt(hex, 16));
    }
  }

  #list(): unknown[] {
    this.#must('[');
    const items: unknown[] = [];
    this.#space();
    if (this.#take(']')) return items;
    for (;;) {
      items.push(this.#value());
      this.#space();
      if (this.#take(']')) return items;
      this.#must(',');
    }
  }

  #members(): Members {
    this.#must('{');
    const members: Members = {};
    this.#space();
    if (this.#take('}')) return members;
    for (;;) {
      this.#space();
      const key = this.#text();
      if (Object.hasOwn(members, key) || ['__proto__', 'constructor', 'prototype'].includes(key)) throw new Error('no such key');
      this.#space();
      this.#must(':');
      members[key] = this.#value();
      this.#space();
      if (this.#take('}')) return members;
      this.#must(',');
    }
  }
}

/** The whole trimmed text, or what stands in the one fence around it. */
function naiveBody(source: string): string {
  const trimmed = source.trim();
  if (!trimmed.startsWith('```')) return trimmed;
  const firstLine = trimmed.slice(0, trimmed.indexOf('\n')).toLowerCase();
  if (!['```', '```json'].includes(firstLine) || !trimmed.endsWith('```') || trimmed.length < firstLine.length + 4)
    throw new Error('a fence');
  return trimmed.slice(firstLine.length + 1, -3);
}

/** The number in `step_N` or `step_N#/pointer`; 0 for anything else. */
function naiveReference(value: unknown): number {
  if (typeof value !== 'string') return 0;
  const [head = '', ...rest] = value.split('#');
  if (value.includes('#') && !rest.join('#').startsWith('/')) return 0;
  const digits = head.slice('step_'.length);
  const written = digits.length <= 9 && [...digits].every((digit) => '0123456789'.includes(digit)) && !digits.startsWith('0');
  return head.startsWith('step_') && written ? Number(digits) : 0;
}

/** Every rule of the gate, one after the other. The plan, or an exception with the rule that it breaks. */
function naiveGate(source: string, { maxSteps, completed, origin, accepted }: Circumstances): unknown {
  const must = (held: boolean, rule: string): void => {
    if (!held) throw new Error(rule);
  };
  const plan = new NaiveReader(naiveBody(source)).read();
  if (!isObject(plan) || !Array.isArray(plan.steps)) throw new Error('a plan is an object with steps');
  must(Object.keys(plan).length === 1, 'a plan has nothing but steps');
  must(plan.steps.length <= maxSteps, 'not too many steps');
  const earlier: unknown[] = [];
  for (const step of plan.steps as unknown[]) {
    if (!isObject(step)) throw new Error('a step is an object');
    const { step_id: id, tool: name, input, input_from: from, ...more } = step;
    must(Object.keys(more).length === 0, 'a step has four keys at the most');
    must(typeof id === 'number' && Number.isInteger(id) && id >= 1 && id <= 999_999_999, 'an id is a positive integer');
    must(!earlier.includes(id), 'an id is there once');
    must(
      completed.every(({ step_id }) => step_id !== id),
      'an id is new',
    );
    must(origin === 'planner' || accepted.every(({ step_id }) => step_id < Number(id)), 'a replanned id is above all others');

    const tool = typeof name === 'string' && Object.hasOwn(offered, name) ? offered[name] : undefined;
    if (!tool) throw new Error('a tool is offered');
    must(tool.specs.length === 1, 'a tool has its name to itself');
    must(!tool.unusable, 'a tool has a schema that can be used');
    const isHighRisk = tool.specs.some(({ risk }) => risk === 'high');
    must(origin === 'planner' || !isHighRisk || accepted.some((other) => other.tool === name), 'a replan brings in no risk');

    const given: Members = {};
    if (typeof input === 'string') {
      if (tool.primary === undefined) throw new Error('a text needs a primary input');
      given[tool.primary] = input;
    } else if (isObject(input)) Object.assign(given, input);
    else must(!('input' in step), 'an input is a text or an object');
    const awaited: Members = {};
    if (typeof from === 'string') {
      if (tool.primary === undefined) throw new Error('a reference needs a primary input');
      awaited[tool.primary] = from;
    } else if (isObject(from)) {
      must(Object.keys(from).length > 0, 'input_from names something');
      Object.assign(awaited, from);
    } else must(!('input_from' in step), 'input_from is a text or an object');
    for (const argument of [...Object.keys(given), ...Object.keys(awaited)]) must(Object.hasOwn(tool.takes, argument), 'a tool takes it');
    for (const argument of tool.needs)
      must(Object.hasOwn(given, argument) || Object.hasOwn(awaited, argument), 'a tool gets what it needs');
    for (const [argument, value] of Object.entries(given)) {
      must(tool.takes[argument]?.(value) === true, 'an argument fits');
      must(!Object.hasOwn(awaited, argument), 'an argument is filled once');
    }
    for (const reference of Object.values(awaited)) {
      const target = naiveReference(reference);
      must(target > 0, 'a reference names a step');
      const hasSucceeded = completed.some(({ step_id, status }) => step_id === target && status === 'success');
      must(earlier.includes(target) || hasSucceeded, 'a reference names an earlier step');
    }
    earlier.push(id);
  }
  return plan;
}

const usableTools = ['web_search', 'summarize', 'convert', 'pick', 'lookup', 'now', 'delete_file'] as const;
const words = ['LangGraph', '', 'step_1', '가나다', '"quoted" \\ {x:1}', '```', 'null'];

interface StepDraft {
  readonly tool: (typeof usableTools)[number];
  readonly asText: boolean;
  readonly word: string;
  readonly number: number;
  /** Where its arguments come from: the nth earlier step, or nothing. */
  readonly from: number | undefined;
  readonly pointer: string;
}

const stepDraft: fc.Arbitrary<StepDraft> = fc.record({
  tool: fc.constantFrom(...usableTools),
  asText: fc.boolean(),
  word: fc.constantFrom(...words),
  number: fc.integer({ min: 1, max: 50 }),
  from: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
  pointer: fc.constantFrom('', '#/results/0/url', '#/', '#/a~1b'),
});

/** A step that the gate accepts behind steps with the ids `earlier`. */
function toStep({ tool, asText, word, number, from, pointer }: StepDraft, step_id: number, earlier: readonly number[]): Members {
  const target = from === undefined || earlier.length === 0 ? undefined : `step_${earlier[from % earlier.length]}${pointer}`;
  const step = { step_id, tool };
  switch (tool) {
    case 'web_search':
      if (target !== undefined)
        return asText ? { ...step, input_from: target } : { ...step, input: { limit: number }, input_from: { query: target } };
      return asText ? { ...step, input: word } : { ...step, input: { limit: number, query: word } };
    case 'summarize':
    case 'delete_file': {
      const argument = tool === 'summarize' ? 'text' : 'path';
      if (target !== undefined) return { ...step, input_from: asText ? target : { [argument]: target } };
      return { ...step, input: asText ? word : { [argument]: word } };
    }
    case 'convert':
      if (target !== undefined) return { ...step, input: { unit: 'km' }, input_from: { value: target } };
      return { ...step, input: { value: number / 2, unit: 'mi' } };
    case 'pick':
      if (target !== undefined)
        return asText ? { ...step, input: { from: word }, input_from: target } : { ...step, input: word, input_from: { from: target } };
      return { ...step, input: { from: word, to: word } };
    case 'lookup':
      if (target !== undefined) return { ...step, input: { ids: [number] }, input_from: { filter: target } };
      return { ...step, input: { filter: asText ? { tag: word } : { tag: word, deep: true } } };
    default:
      return asText ? step : { ...step, input: {} };
  }
}

interface Draft {
  readonly plan: { readonly steps: readonly Members[] };
  readonly circumstances: Circumstances;
}

const draft: fc.Arbitrary<Draft> = fc
  .record({
    steps: fc.array(stepDraft, { maxLength: 6, size: 'max' }),
    ids: fc.uniqueArray(fc.integer({ min: 10, max: 40 }), { minLength: 6, maxLength: 6 }),
    inOrder: fc.boolean(),
    isReplan: fc.boolean(),
    hadRisk: fc.boolean(),
    maxSteps: fc.constantFrom(20, 20, 20, 6, 3),
  })
  .map(({ steps, ids, inOrder, isReplan, hadRisk, maxSteps }) => {
    const used: number[] = [3]; // the step that has succeeded
    const order = inOrder ? ids.sort((a, b) => a - b) : ids;
    const plan = {
      steps: steps.map((each, i) => {
        const id = order[i] ?? 0;
        const step = toStep(each, id, used);
        used.push(id);
        return step;
      }),
    };
    const accepted = [
      { step_id: 3, tool: 'web_search' },
      { step_id: 5, tool: 'summarize' },
      { step_id: 7, tool: hadRisk ? 'delete_file' : 'summarize' },
    ];
    const completed: readonly CompletedStep[] = [
      { step_id: 3, status: 'success' },
      { step_id: 5, status: 'failure' },
    ];
    return { plan, circumstances: { maxSteps, completed, accepted, origin: isReplan ? 'replanner' : 'planner' } };
  });

/** Changes a plan in one place. `n` and `m` choose where and how. */
type Damage = (plan: Members, n: number, m: number) => unknown;

const choose = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;

/** Damage to the nth step, which is an object. */
const toStepOf =
  (damage: (step: Members, m: number, steps: unknown[], at: number) => void): Damage =>
  (plan, n, m) => {
    const steps = Array.isArray(plan.steps) ? plan.steps : [];
    const at = steps.length === 0 ? 0 : n % steps.length;
    const step: unknown = steps[at];
    if (isObject(step)) damage(step, m, steps, at);
    return plan;
  };

/** What damages the arguments: of the input where it has some, else of the references. */
const toArgumentsOf = (damage: (args: Members, m: number) => void): Damage =>
  toStepOf((step, m) => {
    if (typeof step.input === 'string') step.input = { [String(offered[String(step.tool)]?.primary)]: step.input };
    if (isObject(step.input)) damage(step.input, m);
    else if (isObject(step.input_from)) damage(step.input_from, m);
  });

const idOf = (step: unknown): unknown => (isObject(step) ? step.step_id : undefined);

/** Damage that leaves the form of a plan as it is: only the tools and the run can tell. */
const meaningDamages: readonly Damage[] = [
  // ids
  toStepOf((step, m) => {
    step.step_id = choose([3, 5, 6, 7, 8, 9, 999_999_999], m);
  }),
  toStepOf((step, m, steps) => {
    step.step_id = idOf(choose(steps, m));
  }),
  // tools
  toStepOf((step, m) => {
    const name = String(step.tool);
    step.tool = choose(
      [
        name.toUpperCase(),
        name.replace('e', 'е'), // Cyrillic
        name.replace('a', 'ａ'), // full width
        `${name}\u200b`,
        `\u202e${name}`,
        ` ${name}`,
        name.replace('_', '-'),
        name.slice(0, -1),
        'shred',
        'constructor',
        '__proto__',
      ],
      m,
    );
  }),
  toStepOf((step, m) => {
    step.tool = choose(['broken', 'twin', 'broken', 'twin', ...usableTools], m);
  }),
  // arguments
  toStepOf((step, m) => {
    delete step[choose(['input', 'input_from'], m)];
  }),
  toStepOf((step, m) => {
    step.input = choose<unknown>(['x', {}, { query: 'x' }, { text: 'x' }, { text: 'x', query: 'x' }, { from: 'x' }, { path: '' }], m);
  }),
  toArgumentsOf((args, m) => {
    const values = [null, 5, -1, 0, 1.5, '5', true, [], {}, 'km', { tag: 'x', more: 1 }, { tag: 5 }, { tag: 'x' }, [1, 'x'], [1]];
    const name = Object.keys(args)[m % 4] ?? Object.keys(args)[0];
    if (name !== undefined) args[name] = choose<unknown>(values, m >> 2);
  }),
  toArgumentsOf((args, m) => {
    delete args[choose(Object.keys(args), m)];
  }),
  toArgumentsOf((args, m) => {
    args[choose(['more', 'Query', 'toString', 'text', 'limit', 'hasOwnProperty'], m)] = choose<unknown>(['step_3', 1], m >> 3);
  }),
  // references
  toStepOf((step, m, steps, at) => {
    const ids = [idOf(step), idOf(steps[at + 1] ?? step), idOf(steps[at - 1] ?? step), idOf(steps[0]), 3, 5, 5, 7, 99];
    const reference = `step_${String(choose(ids, m))}${choose(['', '', '#/a', '#/'], m >> 4)}`;
    if (isObject(step.input_from)) step.input_from[choose(Object.keys(step.input_from), m)] = reference;
    else step.input_from = reference;
  }),
  toStepOf((step, m, steps, at) => {
    const later = steps.slice(at + 1);
    const other: unknown = later[m % (later.length || 1)];
    if (!isObject(other)) return;
    step.input_from = `step_${String(other.step_id)}`;
    other.input_from = `step_${String(step.step_id)}`;
  }),
  toStepOf((step, m) => {
    const arguments_ = ['query', 'text', 'to', 'from', 'more', '', 'limit', 'value', 'path'];
    step.input_from = { [choose(arguments_, m)]: choose(['step_3', 'step_3#/x', 'step_5'], m >> 4) };
  }),
  // steps
  (plan, n, m) => {
    const steps = Array.isArray(plan.steps) ? plan.steps : [];
    if (steps.length > 1) steps.push(...steps.splice(n % steps.length, 1 + (m % 2)));
    return plan;
  },
  (plan, n, m) => {
    const steps = Array.isArray(plan.steps) ? plan.steps : [];
    if (steps.length > 0) steps.splice(n % (steps.length + 1), 0, structuredClone(choose(steps, m)));
    return plan;
  },
  (plan, n) => {
    const steps = Array.isArray(plan.steps) ? plan.steps : [];
    steps.splice(n % (steps.length + 1), 1);
    return plan;
  },
  (plan, n) => {
    const more = Array.from({ length: 1 + (n % 21) }, (_, i) => ({ step_id: 100 + i, tool: 'now' }));
    if (Array.isArray(plan.steps)) plan.steps.push(...more);
    return plan;
  },
];

const formDamages: readonly Damage[] = [
  toStepOf((step, m) => {
    step.step_id = choose([0, -1, 1.5, '10', null, true, 1_000_000_000, 1e30, [1]], m);
  }),
  toStepOf((step, m) => {
    step.tool = choose<unknown>(['', 5, null, [step.tool], { name: step.tool }], m);
  }),
  toStepOf((step, m) => {
    delete step[choose(['step_id', 'tool'], m)];
  }),
  toStepOf((step, m) => {
    step[choose(['why', 'Tool', 'args', 'id', 'depends_on', 'step_Id'], m)] = choose([1, null, 'x', []], m);
  }),
  toStepOf((step, m) => {
    const target = choose([step, isObject(step.input) ? step.input : step], m);
    Object.defineProperty(target, '__proto__', { value: { tool: 'shred' }, enumerable: true, configurable: true });
  }),
  toArgumentsOf((args, m) => {
    args[choose(['constructor', 'prototype'], m)] = 1;
  }),
  toStepOf((step, m) => {
    step.input = choose<unknown>([null, 5, [], true, ['x']], m);
  }),
  toStepOf((step, m) => {
    const texts = ['step_0', 'Step_3', 'step_3#', 'step_3#a', 'step_03', 'step 3', 'step_3 ', 'step_3\n', 'step_3333333333', '3', ''];
    step.input_from = choose<unknown>([...texts, 3, null, {}, [], ['step_3'], { text: 'x' }, { text: 3 }, { text: null }], m);
  }),
  (plan, n, m) => {
    const steps = Array.isArray(plan.steps) ? plan.steps : [];
    steps.splice(n % (steps.length + 1), 0, choose<unknown>([null, 'web_search', 5, [], {}], m));
    return plan;
  },
  (plan, n, m) => {
    plan[choose(['reason', 'Steps', 'plan', 'constructor', 'step'], n)] = choose<unknown>([1, [], null], m);
    return plan;
  },
  (plan, n) => choose<unknown>([plan.steps, [plan], null, 'steps', 5, true, {}, { plan }, { Steps: plan.steps }], n),
  (plan, n) => {
    plan.steps = choose<unknown>([null, {}, { 0: {} }, 'x', 5, [[]], []], n);
    return plan;
  },
];

/** Damages the text of a plan. `n` and `m` choose where and how. */
type TextDamage = (source: string, n: number, m: number) => string;

const textDamages: readonly TextDamage[] = [
  // harmless ones
  (source, n) => `${choose([' ', '\n', '\r\n\t', '\ufeff', '\u00a0'], n)}${source}${choose(['\n', '', ' '], n)}`,
  (source, n, m) => `${choose(['```json', '```', '```JSON'], n)}\n${source}${choose(['\n', '', '\r\n'], m)}\`\`\``,
  (source, n) => choose<() => string>([() => source, () => source.replaceAll(',', ' ,\n '), () => source.replaceAll(':', '\t: ')], n)(),
  (source) => source.replace('"tool"', '"\\u0074ool"'),
  (source, n) => source.replace(/"step_id":(\d+)/, choose(['"step_id":$1.0', '"step_id":$1e0', '"step_id":$10e-1'], n)),
  // all others
  (source, n, m) =>
    `${choose(['```js', '````', '~~~', '``', '```json {}', '```json```'], n)}\n${source}\n${choose(['```', '````', '~~~', ''], m)}`,
  (source, n, m) => `${choose(['', 'Plan:\n'], n)}\`\`\`json\n${source}\n\`\`\`${choose(['', '\nDone.', '\n```json\n{}\n```'], m)}`,
  (source, n) =>
    `${choose(['Plan: ', '', 'null', '{}', '//\n', '\u200b'], n)}${source}${choose([' ok', '}', ';', '{}', '// done', '\0'], n)}`,
  (source, n) => source.slice(0, n % source.length),
  (source, n) => source.slice(1 + (n % source.length)),
  (source, n, m) => {
    const at = n % source.length;
    return source.slice(0, at) + source.slice(at + 1 + (m % 3));
  },
  (source, n, m) => {
    const at = n % (source.length + 1);
    return (
      source.slice(0, at) +
      choose(['{', '}', '[', ']', ',', ':', '"', '\\', '1', '0', '-', ' ', '\n', '\0', '\u200b', 'a', "'"], m) +
      source.slice(at)
    );
  },
  (source, n) => {
    const keys = [...source.matchAll(/"([a-z_]+)":/g)];
    const key = choose(keys, n);
    return key
      ? `${source.slice(0, key.index)}"${key[1]}":${choose(['null', '"x"', '1', '{}'], n >> 3)},${source.slice(key.index)}`
      : source;
  },
  (source, n) =>
    source.replace(
      '"tool"',
      choose(
        [
          '"t\\u006fol":"now","tool"',
          '"__proto__":{},"tool"',
          '"\\u005f_proto__":1,"tool"',
          '"constructor":1,"tool"',
          '"prototype":1,"tool"',
        ],
        n,
      ),
    ),
  (source, n) => source.replace(choose(['}', ']'], n), choose([',}', ',]'], n)),
  (source) => source.replaceAll('"', "'"),
  (source) => source.replaceAll(/"([a-z_]+)":/g, '$1:'),
  (source, n) =>
    source.replace(
      /"step_id":\d+/,
      `"step_id":${choose(['010', '+10', '0xA', '10.', '.5', '1e400', '-0', '99999999999999999999', 'NaN', 'True', 'None', '१'], n)}`,
    ),
  (source, n) => source.replace('{', choose(['{/* plan */', '{#\n', '{\n// plan\n'], n)),
];

const oneOf = <T>(from: readonly T[]): fc.Arbitrary<{ readonly apply: T; readonly n: number; readonly m: number }> =>
  fc.record({ apply: fc.constantFrom(...from), n: fc.nat({ max: 999 }), m: fc.nat({ max: 999 }) });

const fuzzedPlan = fc
  .record({
    draft,
    // mostly one at a time: damage to the form hides all else
    damage: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 5, arbitrary: fc.tuple(oneOf(meaningDamages)) },
      { weight: 2, arbitrary: fc.tuple(oneOf(meaningDamages), oneOf(meaningDamages)) },
      { weight: 2, arbitrary: fc.tuple(oneOf(formDamages)) },
      { weight: 1, arbitrary: fc.tuple(oneOf(meaningDamages), oneOf(formDamages)) },
    ),
    textDamage: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oneOf(textDamages) }),
  })
  .map(({ draft: { plan, circumstances }, damage, textDamage }) => {
    let value: unknown = structuredClone(plan);
    for (const { apply, n, m } of damage) if (isObject(value)) value = apply(value, n, m);
    const source = JSON.stringify(value);
    return { circumstances, source: textDamage ? textDamage.apply(source, textDamage.n, textDamage.m) : source };
  });

describe('parsePlan', () => {
  it('accepts the plans that the rules allow, and no others', () => {
    const accepted: string[] = [];
    const refused = new Map<string, number>();
    const count = (what: string): void => void refused.set(what, (refused.get(what) ?? 0) + 1);
    fc.assert(
      fc.property(fuzzedPlan, ({ source, circumstances }) => {
        let allowed: unknown;
        let rule = '';
        try {
          allowed = naiveGate(source, circumstances);
        } catch (error) {
          rule = error instanceof Error ? error.message : String(error);
        }
        let issues: PlanRejectedError['issues'] = [];
        try {
          const plan = parsePlan(source, { tools, ...circumstances });
          expect({ rule, plan }).toEqual({ rule: '', plan: allowed });
          expect([isValidated(plan), isFrozen(plan)]).toEqual([true, true]);
          accepted.push(source);
        } catch (error) {
          if (!(error instanceof PlanRejectedError)) throw error;
          issues = error.issues;
          expect({ rule, issues }).not.toEqual({ rule: '', issues });
          expect(issues.length).toBeGreaterThan(0);
          for (const { code, path, message } of issues) {
            expect(path).toMatch(/^(\/.*)?$/s);
            expect(message).not.toBe('');
            count(code);
          }
        }
        expect({}).not.toHaveProperty('tool');
      }),
      { numRuns: share(5_000) },
    );
    // a fuzzer that has stopped to reach both sides, or one of the rules, says nothing
    expect(accepted.length).toBeGreaterThan(share(500));
    expect([...refused.keys()].sort()).toEqual(
      [
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
      ].sort(),
    );
  });
});

// ---------------------------------------------------------------------------------------------------------------------
// 2. The executor, in a world where calls end in any order.

interface RandomStep {
  readonly tool: 'pure' | 'idempotent' | 'once';
  readonly word: string;
  /** Where its arguments come from: the nth earlier step, or nothing. */
  readonly from: readonly number[];
  readonly fails: boolean;
}

const randomStep = (hasEffects: boolean): fc.Arbitrary<RandomStep> =>
  fc.record({
    tool: hasEffects ? fc.constantFrom('pure', 'idempotent', 'once') : fc.constant('pure'),
    word: fc.constantFrom('a', 'b', 'c'),
    from: fc.oneof(fc.constant([]), fc.array(fc.nat({ max: 9 }), { maxLength: 2 })),
    fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });

/** What a step will be, worked out beforehand. */
interface Expected {
  readonly step: PlanStep;
  readonly key: string;
  readonly needs: readonly string[];
  readonly isOnce: boolean;
  /** Of its call, if its inputs come to be. */
  readonly signature: string;
  readonly output: string;
  readonly fails: boolean;
}

/** A plan of such steps. A step that is to fail has arguments of its own, so that no other step shares its call. */
function expectedOf(steps: readonly RandomStep[], ids: readonly number[]): readonly Expected[] {
  const expected: Expected[] = [];
  steps.forEach(({ tool, word, from, fails }, i) => {
    const sources = expected.length === 0 ? [] : from.map((n) => choose(expected, n));
    const [first, second] = sources;
    const step_id = ids[i] ?? 0;
    const literal = { ...(first ? {} : { text: word }), ...(fails ? { fail: `${step_id}` } : {}) };
    const references = {
      ...(first ? { text: `step_${first.step.step_id}` } : {}),
      ...(second ? { more: `step_${second.step.step_id}` } : {}),
    };
    const args = { ...literal, ...(first ? { text: first.output } : {}), ...(second ? { more: second.output } : {}) };
    const signature = `${tool}:${canonicalJson(args)}`;
    expected.push({
      step: {
        step_id,
        tool,
        ...(Object.keys(literal).length > 0 ? { input: literal } : {}),
        ...(first ? { input_from: references } : {}),
      },
      key: `step_${step_id}`,
      needs: [...new Set(sources.map(({ key }) => key))],
      isOnce: tool === 'once',
      signature,
      output: `<${signature}>`,
      fails,
    });
  });
  return expected;
}

/** Lets everything happen that waits for nothing outside. */
const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Rules {
  readonly execution: 'auto' | 'sequential';
  readonly concurrency: number;
}

/** Executes a plan, ending one call after the other as the scheduler likes, and looks at the executor before each end. */
async function watch(expected: readonly Expected[], { execution, concurrency }: Rules, scheduler: fc.Scheduler): Promise<PlanResult> {
  const byKey = new Map(expected.map((each) => [each.key, each]));
  const executed = new Set<string>();
  const spared = new Set<string>();
  const executing = new Set<Expected>();
  const made: { readonly each: Expected; readonly begun: number; ended: number }[] = [];
  let moment = 0;
  const isOver = ({ key }: Expected): boolean =>
    spared.has(key) || made.some(({ each, ended }) => each.key === key && ended < Number.POSITIVE_INFINITY);
  const hasSucceeded = (key: string): boolean => {
    const each = byKey.get(key);
    return each !== undefined && isOver(each) && !each.fails;
  };
  /** An equal call has succeeded, and nothing else with an effect has been at work since it was begun. */
  const isKnown = (signature: string): boolean => {
    const equal = made.findLast(({ each }) => each.signature === signature);
    if (!equal || equal.each.fails || equal.ended === Number.POSITIVE_INFINITY) return false;
    return !made.some((other) => other !== equal && other.each.step.tool !== 'pure' && other.ended > equal.begun);
  };

  const inputs = { text: { type: 'string' }, more: { type: 'string' }, fail: { type: 'string' } };
  const toolNamed = (name: 'pure' | 'idempotent' | 'once'): Tool => ({
    name,
    effect: name,
    inputSchema: { type: 'object', properties: inputs, required: ['text'] },
    capabilities: { private: false, untrusted: false, external: false },
    async execute(args, { idempotencyKey: key }) {
      const each = byKey.get(key);
      if (!each) throw new Error(`Nobody planned ${key}.`);
      expect([key, `${name}:${canonicalJson(args)}`]).toEqual([key, each.signature]);
      expect(executed).not.toContain(key); // at most once
      expect(isKnown(each.signature)).toBe(false); // an equal call was enough
      for (const need of each.needs) expect(hasSucceeded(need)).toBe(true); // not before its inputs
      if (execution === 'sequential') expect(executing.size).toBe(0);
      if (name === 'once') expect([...executing].some(({ isOnce }) => isOnce)).toBe(false);
      executed.add(key);
      executing.add(each);
      const call = { each, begun: ++moment, ended: Number.POSITIVE_INFINITY };
      made.push(call);
      expect(executing.size).toBeLessThanOrEqual(concurrency);
      await scheduler.schedule(Promise.resolve(), key);
      executing.delete(each);
      call.ended = ++moment;
      if (each.fails) throw new WorkflowError({ code: 'FETCH_FAILED', message: key });
      return each.output;
    },
  });
  const all = [toolNamed('pure'), toolNamed('idempotent'), toolNamed('once')];
  const plan = parsePlan(JSON.stringify({ steps: expected.map(({ step }) => step) }), { tools: all, maxSteps: expected.length });
  const { signal } = new AbortController();
  const done = executePlan(plan, {
    tools: all,
    execution,
    concurrency,
    io: {
      emit: (event) => {
        if (event.type === 'tool-end' && event.deduplicated) spared.add(event.callId);
      },
      step: (key, work) => work({ number: 1, idempotencyKey: key, signal }),
    },
    clock: { now: () => 0, monotonic: () => 0, schedule: () => () => {} },
  });
  let failure: unknown;
  done.catch((cause: unknown) => {
    failure = cause;
  });
  for (;;) {
    await drain();
    if (failure !== undefined) throw failure;
    const ready = expected.filter(({ key, needs }) => !executed.has(key) && needs.every(hasSucceeded));
    /** It may have to wait for something that comes before it in the plan. */
    const mustWait = (each: Expected): boolean => {
      const before = expected.slice(0, expected.indexOf(each)).filter((other) => !isOver(other));
      if (each.isOnce && before.some(({ isOnce }) => isOnce)) return true;
      return before.some(({ step }) => step.tool !== 'pure') && made.some((other) => other.each.signature === each.signature);
    };
    const unstarted = ready.filter(
      (each) =>
        !spared.has(each.key) &&
        !isKnown(each.signature) &&
        ![...executing].some(({ signature, isOnce }) => signature === each.signature || (isOnce && each.isOnce)) &&
        !mustWait(each),
    );
    // as parallel as it may be: what is ready and not at work found no place
    if (unstarted.length > 0) expect(executing.size).toBe(execution === 'sequential' ? 1 : concurrency);
    if (scheduler.count() === 0) return done;
    await scheduler.waitOne();
  }
}

describe('executePlan', () => {
  const situation = fc.boolean().chain((hasEffects) =>
    fc.record({
      steps: fc.array(randomStep(hasEffects), { maxLength: 9, size: 'max' }),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 9, maxLength: 9 }),
      execution: fc.constantFrom('auto', 'auto', 'auto', 'sequential'),
      concurrency: fc.integer({ min: 1, max: 5 }),
      scheduler: fc.scheduler(),
    }),
  );

  it('runs each executable step once and as early as possible, and nothing else', async () => {
    let parallel = 0;
    let shared = 0;
    let unstarted = 0;
    await fc.assert(
      fc.asyncProperty(situation, async ({ steps, ids, execution, concurrency, scheduler }) => {
        const expected = expectedOf(steps, ids);
        const { results, remaining, held, taint } = await watch(expected, { execution, concurrency }, scheduler);
        // what becomes of a step follows from the plan alone, not from the order in which calls end
        const ends = new Map<string, 'success' | 'failure' | 'unstarted'>();
        for (const { key, needs, fails } of expected) {
          if (needs.some((need) => ends.get(need) !== 'success')) ends.set(key, 'unstarted');
          else ends.set(key, fails ? 'failure' : 'success');
        }
        const ran = expected.filter(({ key }) => ends.get(key) !== 'unstarted');
        expect(
          results.map((past) => {
            const { step, status, signature } = past;
            return { step, status, outcome: past.status === 'success' ? past.output : past.error.message, signature };
          }),
        ).toEqual(
          ran.map(({ step, key, output, signature, fails }) => ({
            step,
            status: fails ? 'failure' : 'success',
            outcome: fails ? key : output,
            signature,
          })),
        );
        expect(remaining).toEqual(expected.filter(({ key }) => ends.get(key) === 'unstarted').map(({ step }) => step));
        expect({ held, taint }).toEqual({ held: [], taint: noTaint });
        // of equal calls one was made if nothing has an effect, and all have its output
        const made = results.filter(({ deduplicated }) => !deduplicated).map(({ signature }) => signature);
        if (steps.every(({ tool }) => tool === 'pure')) expect(made.length).toBe(new Set(made).size);
        expect(new Set(made)).toEqual(new Set(ran.map(({ signature }) => signature)));
        if (execution === 'auto' && concurrency > 1) parallel++;
        shared += results.length - made.length;
        unstarted += remaining.length;
      }),
      { numRuns: share(500) },
    );
    // the situations that matter have come up
    expect(Math.min(parallel, shared, unstarted)).toBeGreaterThan(share(20));
  });
});

// ---------------------------------------------------------------------------------------------------------------------
// 3. Canonical JSON.

/** Equal as JSON: the order of keys and the sign of zero do not count. */
function isSame(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [ones, others] = [Object.entries(one), new Map(Object.entries(other))];
  return ones.length === others.size && ones.every(([key, value]) => others.has(key) && isSame(value as Json, others.get(key) as Json));
}

/** The value with its keys in another order, at every depth. */
function shuffled(value: Json, weightOf: (key: string) => number): Json {
  if (Array.isArray(value)) return value.map((item: Json) => shuffled(item, weightOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).sort(([one], [other]) => weightOf(one) - weightOf(other));
  return Object.fromEntries(entries.map(([key, member]) => [key, shuffled(member, weightOf)]));
}

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

/** So few values that two of them are often equal, and if not, nearly so. */
const { value: fewValues } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'few' },
    fc.constantFrom<Json>(null, 0, -0, 1, '1', '', 'a', true),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', '__proto__', 'é', 'e\u0301'), tie('value'), { maxKeys: 2 }),
  ),
}));

describe('canonicalJson', () => {
  it('is equal exactly for equal values', () => {
    let equal = 0;
    fc.assert(
      fc.property(fewValues, fewValues, (one, other) => {
        const same = isSame(one, other);
        if (same) equal++;
        expect(canonicalJson(one) === canonicalJson(other)).toBe(same);
      }),
      { numRuns: share(5_000) },
    );
    expect(equal).toBeGreaterThan(share(50));
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, fc.func(fc.integer()), (value, weightOf) => {
        const other = shuffled(value, weightOf);
        expect(isSame(value, other)).toBe(true);
        expect(canonicalJson(other)).toBe(canonicalJson(value));
      }),
      { numRuns: share(1_000) },
    );
  });

  it('reads back as the value, and is the canonical form of what it reads back as', () => {
    fc.assert(
      fc.property(json, (value) => {
        const back = JSON.parse(canonicalJson(value)) as Json;
        expect(isSame(back, value)).toBe(true);
        expect(canonicalJson(back)).toBe(canonicalJson(value));
      }),
      { numRuns: share(1_000) },
    );
  });

  it('spells numbers as ECMAScript does, which RFC 8785 asks for', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(canonicalJson(number)).toBe(String(number));
        expect(Number(canonicalJson(number)) === number).toBe(true);
      }),
    );
  });
});
