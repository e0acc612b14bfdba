import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../ports/json.ts';
import type { CompiledSchema, SchemaIssue, SchemaValidator } from '../ports/schema-validator.ts';
import { escapePointer } from '../util/json-pointer.ts';
import { closeObjects, declaredNames, formatsOf } from './close-schema.ts';

/**
 * Checks arguments with Ajv, in strict mode. Keywords that Ajv does not know, and formats, are not checked and are reported; arguments
 * that the schema does not name are refused, whatever it says of additional ones.
 *
 * Ajv makes code from schemas: where that is forbidden (workerd, a strict content security policy), pass another `SchemaValidator`.
 */
export const ajvValidator: SchemaValidator = {
  compile(schema) {
    if (typeof schema !== 'object' || schema === null) return refused('the schema of arguments is not an object');
    const known = compiled.get(schema);
    if (known) return known;
    const made = compile(schema);
    compiled.set(schema, made);
    return made;
  },
};

const compiled = new WeakMap<JsonObject, CompiledSchema>();

const refused = (reason: string): CompiledSchema => ({ ok: false, reason });

const warnings: string[] = [];
const note = (...parts: unknown[]): void => void warnings.push(parts.map(String).join(' '));
const ajv = new Ajv2020({
  allErrors: true,
  ownProperties: true,
  strict: true,
  strictSchema: 'log', // collected below, so that a foreign schema's annotations do not refuse its tool
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  logger: { log: note, warn: note, error: note },
});

function compile(schema: JsonObject): CompiledSchema {
  try {
    const { $schema: _draft, $id: _id, type = 'object', ...closed } = closeObjects(schema);
    if (type !== 'object') return refused('the schema of arguments is not of type "object"');
    warnings.length = 0;
    const validate = ajv.compile({ ...closed, type });
    ajv.removeSchema(); // Ajv would keep every schema that it has seen
    if ('$async' in validate) return refused('it is asynchronous');
    const declared = declaredNames(schema);
    const ignored = [...new Set([...warnings, ...formatsOf(schema)])];
    const check = (value: Json): readonly SchemaIssue[] => {
      const undeclared = undeclaredIn(value, declared);
      const issues = validate(value) ? [] : (validate.errors ?? []).map(toIssue);
      const others = issues.filter(({ path, keyword }) => !isUndeclared(keyword) || !undeclared.some((issue) => issue.path === path));
      return inDocumentOrder([...undeclared, ...others], value);
    };
    return { ok: true, ignored, check };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

const isUndeclared = (keyword: string): boolean => keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';

function undeclaredIn(value: Json, declared: ReadonlySet<string>): SchemaIssue[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const names = Object.keys(value).filter((name) => !declared.has(name));
  return names.map((name) => ({
    path: `/${escapePointer(name)}`,
    keyword: 'additionalProperties',
    message: 'is not an argument that it takes',
  }));
}

function toIssue({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): SchemaIssue {
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (typeof extra === 'string') {
    return { path: `${instancePath}/${escapePointer(extra)}`, keyword, message: 'is not an argument that it takes' };
  }
  const allowed = Array.isArray(params.allowedValues) ? `: ${JSON.stringify(params.allowedValues)}` : '';
  return { path: instancePath, keyword, message: `${message}${allowed}` };
}

/** Issues in the order in which what they are about stands in the document. */
function inDocumentOrder(issues: SchemaIssue[], value: Json): readonly SchemaIssue[] {
  if (issues.length < 2) return issues;
  const positions = new Map<string, number>();
  const visit = (at: Json, path: string): void => {
    positions.set(path, positions.size);
    if (typeof at !== 'object' || at === null) return;
    for (const [key, inner] of Object.entries(at)) visit(inner, `${path}/${escapePointer(key)}`);
  };
  visit(value, '');
  const positionOf = ({ path }: SchemaIssue): number => positions.get(path) ?? positions.size;
  return issues.sort((a, b) => positionOf(a) - positionOf(b));
}
