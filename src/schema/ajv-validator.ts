import type { ValidateFunction } from 'ajv/dist/core.js';
import type { Json, JsonObject } from '../ports/json.ts';
import type { CompiledSchema, SchemaIssue, SchemaValidator } from '../ports/schema-validator.ts';
import { isObject } from '../util/is-object.ts';
import { shorten } from '../util/shorten.ts';
import { toJson } from '../util/to-json.ts';
import { findUndeclared } from './find-undeclared.ts';
import { inOurDraft } from './in-our-draft.ts';
import { makeAjv } from './make-ajv.ts';
import { Place } from './place.ts';
import { assertSmall } from './schema-budget.ts';
import { SchemaDocument } from './schema-document.ts';
import { toIssues } from './schema-issues.ts';
import { SchemaParts } from './schema-parts.ts';
import { Unusable } from './unusable.ts';
import { placeholder } from './weaken-schema.ts';
import { assertShallow, assertWork, Exhausted } from './work-budget.ts';

/**
 * Checks arguments with Ajv, in strict mode, and refuses what the schema does not declare: the arguments themselves by name, whatever it
 * says of others; members of objects inside them, unless it opens that very object. Keywords that Ajv does not know, and formats, are not
 * checked and are reported.
 *
 * Schemas and values of others cannot hold it up: their size is limited, what a check would take is counted before it is made, and patterns
 * are followed by RE2, in linear time.
 *
 * Ajv makes code from schemas: where that is forbidden (workerd, a strict content security policy), pass another `SchemaValidator`.
 */
export const ajvValidator: SchemaValidator = {
  compile(schema) {
    if (!isObject(schema)) return refused('the schema of arguments is not an object');
    const known = compiled.get(schema);
    if (known) return known;
    const made = compile(schema);
    compiled.set(schema, made);
    return made;
  },
};

const compiled = new WeakMap<JsonObject, CompiledSchema>();

const refused = (reason: string): CompiledSchema => ({ ok: false, reason: shorten(reason.replace(/\.$/, ''), 400) });

const warnings: string[] = [];
const note = (...parts: unknown[]): void => void warnings.push(parts.map(String).join(' '));
const ajv = makeAjv({ log: note, warn: note, error: note });

/** The same schema comes again as another object: from a server that lists its tools anew, from a tool that is made for each run. */
const byText = new Map<string, CompiledSchema>();
const maxKept = 200;
const maxKeptLength = 20_000;

function compile(schema: JsonObject): CompiledSchema {
  try {
    const { type = 'object' } = schema;
    if (type !== 'object') return refused('the schema of arguments is not of type "object"');
    assertSmall(schema);
    const whole = { ...Object(inOurDraft(schema)), type };
    const copy = jsonOf(whole);
    const text = copy === undefined ? '' : JSON.stringify(copy);
    const known = byText.get(text);
    if (known) return known;
    const made = make(copy ?? whole);
    if (text === '' || text.length > maxKeptLength) return made;
    for (const oldest of byText.keys()) if (byText.size >= maxKept) byText.delete(oldest);
    byText.set(text, made);
    return made;
  } catch (error) {
    return refused(messageOf(error));
  } finally {
    ajv.removeSchema(); // Ajv would keep every schema that it has seen
  }
}

/** A copy that its owner cannot change; none of what JSON would change, since two such schemas of one text may differ. */
function jsonOf(schema: JsonObject): JsonObject | undefined {
  try {
    return toJson(schema, 'schema') as JsonObject;
  } catch {
    return undefined;
  }
}

function make(schema: JsonObject): CompiledSchema {
  const document = new SchemaDocument(schema);
  warnings.length = 0;
  const validate = ajv.compile(document.raw);
  if ('$async' in validate) return refused('it is asynchronous');
  const ignored = [...new Set([...warnings, ...document.formats])];
  const parts = new SchemaParts(document, () => makeAjv(false));
  const check = (value: Json, awaited: readonly string[] = []): readonly SchemaIssue[] =>
    checkValue(value, awaited, document, validate, parts);
  return { ok: true, ignored, check };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function checkValue(
  known: Json,
  awaited: readonly string[],
  { root }: SchemaDocument,
  whole: ValidateFunction,
  parts: SchemaParts,
): readonly SchemaIssue[] {
  const value = awaited.length === 0 ? known : { ...Object(known), ...Object.fromEntries(awaited.map((name) => [name, placeholder])) };
  try {
    assertShallow(value);
    const place = new Place(value);
    assertWork(root, place);
    const { validate, fits } = awaited.length === 0 ? { validate: whole, fits: parts.fits } : parts.weakened(awaited, place);
    const errors = validate(value) ? [] : (validate.errors ?? []);
    return toIssues(errors, findUndeclared(root, place, fits), value);
  } catch (error) {
    if (error instanceof Exhausted || error instanceof Unusable) return [{ path: '', keyword: 'budget', message: error.message }];
    // Ajv compiles parts of the schema when they are asked for first, and can find fault with them
    return [{ path: '', keyword: 'schema', message: `cannot be checked: ${shorten(messageOf(error), 200)}` }];
  }
}
