import core, { type Options, type ValidateFunction } from 'ajv/dist/core.js';
import draft2020 from 'ajv/dist/vocabularies/draft2020.js';
import type { Json, JsonObject } from '../ports/json.ts';
import { shorten } from '../util/shorten.ts';
import type { Finding } from './finding.ts';
import { type LinearPattern, toLinearPattern } from './linear-pattern.ts';

const options: Options = {
  dynamicRef: true,
  next: true,
  unevaluated: true,
  loopRequired: 8, // code for each name would be a hundred times as long as the schema
  allErrors: true, // and it makes flat code: without it, each property would be nested in the one before
  inlineRefs: false, // a schema that is referred to often is made once
  ownProperties: true,
  strict: false,
  meta: false, // `checkKeywords` has said what its meta-schema would
  validateSchema: false,
  multipleOfPrecision: 6, // 19.99 is a multiple of 0.01, though not in binary
  validateFormats: false,
  logger: false,
  code: { regExp: Object.assign(patternOf, { code: '' }) },
};

/** Ajv tells patterns apart by their text. */
function patternOf(source: string): LinearPattern & { toString(): string } {
  return { ...toLinearPattern(source), toString: () => source };
}

/** Of a CommonJS module that calls something its default, Node imports all that it exports, and Bun that. */
const defaultOf = <T extends object>(module: T | { readonly default: T }): T => ('default' in module ? module.default : module);

let ajv: InstanceType<typeof core.default> | undefined;

/** Whether code can be made of texts; a process can be started without that (`--disallow-code-generation-from-strings`). */
let makesCode: boolean | undefined;

function canMakeCode(): boolean {
  try {
    makesCode ??= Reflect.construct(Function, ['return true'])() === true;
  } catch {
    makesCode = false;
  }
  return makesCode;
}

function compile(schema: JsonObject): ValidateFunction {
  if (!ajv) {
    ajv = new (defaultOf<typeof core.default>(core))(options);
    for (const vocabulary of defaultOf<typeof draft2020.default>(draft2020)) ajv.addVocabulary(vocabulary);
  }
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(); // it would keep every schema that it has seen
  }
}

/**
 * What Ajv finds wrong with a value that a `Judge` has accepted: nothing runs unless both do. Ajv makes code of the schema when it is asked
 * first. Nothing is found where code cannot be made.
 */
export function secondVerdict(schema: JsonObject): (value: Json) => Finding | undefined {
  let validate: ValidateFunction | undefined;
  return (value) => {
    try {
      validate ??= canMakeCode() ? compile(schema) : undefined;
      if (!validate || validate(value) === true) return undefined;
      const [error] = validate.errors ?? [];
      return { path: error?.instancePath ?? '', keyword: error?.keyword ?? 'schema', message: error?.message ?? 'is not valid' };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { path: '', keyword: 'schema', message: `cannot be checked: ${shorten(reason, 200)}` };
    }
  };
}
