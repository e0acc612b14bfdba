import core, { type Options, type ValidateFunction } from 'ajv/dist/core.js';
import draft2020 from 'ajv/dist/vocabularies/draft2020.js';
import { messageOf } from '../errors/message-of.ts';
import { shorten } from '../errors/shorten.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import { type LinearPattern, toLinearPattern } from './linear-pattern.ts';
import type { Finding } from './schema-finding.ts';

const options: Options = {
  dynamicRef: true,
  next: true,
  unevaluated: true,
  loopRequired: 8, // inlined code per name would be a hundred times as long as the schema
  allErrors: true, // also produces flat code; otherwise each property is nested in the one before
  inlineRefs: false, // compiles a schema with many references once
  ownProperties: true,
  strict: false,
  meta: false, // `checkKeywords` has already checked the meta-schema's rules
  validateSchema: false,
  multipleOfPrecision: 6, // 19.99 is a multiple of 0.01, though not in binary
  validateFormats: false,
  logger: false,
  code: { regExp: Object.assign(patternOf, { code: '' }) },
};

/** Ajv identifies patterns by their text. */
function patternOf(source: string): LinearPattern & { toString(): string } {
  return { ...toLinearPattern(source), toString: () => source };
}

/** For a CommonJS module with a `default`, Node imports the exports object and Bun the default. */
const defaultOf = <T extends object>(module: T | { readonly default: T }): T => ('default' in module ? module.default : module);

let ajv: InstanceType<typeof core.default> | undefined;

/** True when code generation is allowed; a process can forbid it (`--disallow-code-generation-from-strings`). */
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
    ajv.removeSchema(); // Ajv would keep every schema otherwise
  }
}

/**
 * Ajv's first violation in a value that a `Judge` has accepted; nothing runs unless both accept. Ajv compiles the schema on the first call.
 * Without code generation it finds nothing.
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
      const reason = messageOf(error);
      return { path: '', keyword: 'schema', message: `cannot be checked: ${shorten(reason, 200)}` };
    }
  };
}
