import { secondVerdict } from '#second-verdict';
import type { Json, JsonObject } from '../ports/json.ts';
import type { CompiledSchema, SchemaIssue, SchemaValidator } from '../ports/schema-validator.ts';
import { isObject } from '../util/is-object.ts';
import { shorten } from '../util/shorten.ts';
import { toJson } from '../util/to-json.ts';
import { type Fits, findUndeclared } from './find-undeclared.ts';
import type { Finding } from './finding.ts';
import { inOurDraft } from './in-our-draft.ts';
import { Judge } from './judge.ts';
import { Place } from './place.ts';
import { assertSmall } from './schema-budget.ts';
import { SchemaDocument } from './schema-document.ts';
import { toIssues } from './schema-issues.ts';
import type { Schema } from './schema-node.ts';
import { Unusable } from './unusable.ts';
import { dependsOn, placeholder, weakenSchema } from './weaken-schema.ts';
import { assertShallow, assertWork, Exhausted } from './work-budget.ts';

/**
 * Checks arguments against JSON Schema 2020-12, and refuses what the schema does not declare: the arguments themselves by name, whatever it
 * says of others; members of objects inside them, unless it opens that very object. Keywords that it does not know, and formats, are not
 * checked and are reported.
 *
 * It reads schemas itself, and what it accepts it has checked by Ajv, too, where code may be made of schemas (Node, Bun, Deno): both must
 * agree. In browsers and on Workers it is alone. Schemas and values of others cannot hold it up: their
 * size is limited, what a check would take is counted before it is made, and patterns are followed in linear time.
 */
export const jsonSchemaValidator: SchemaValidator = {
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
    return refused(error instanceof Error ? error.message : String(error));
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
  const { root, ignored } = new SchemaDocument(schema);
  const second = secondVerdict(typeof root === 'boolean' ? schema : root.raw);
  return { ok: true, ignored: [...ignored], check: (value, awaited = []) => checkValue(root, second, value, awaited) };
}

function checkValue(
  root: Schema,
  second: (value: Json) => Finding | undefined,
  known: Json,
  awaited: readonly string[],
): readonly SchemaIssue[] {
  const value = awaited.length === 0 ? known : { ...Object(known), ...Object.fromEntries(awaited.map((name) => [name, placeholder])) };
  try {
    assertShallow(value);
    const place = new Place(value);
    assertWork(root, place);
    const judge = new Judge();
    const findings: Finding[] = [];
    const depends = dependsOn(awaited);
    judge.apply(awaited.length === 0 ? root : weakenSchema(root, awaited, depends), place, findings);
    // of a part that depends on what is awaited, one can only say that nothing would make the value fit it
    const disagrees = awaited.length === 0 && findings.length === 0 ? second(known) : undefined;
    if (disagrees) findings.push(disagrees);
    const fits: Fits = (schema, at) => {
      if (awaited.length === 0 || at !== place || !depends(schema)) return judge.fits(schema, at);
      return judge.fits(weakenSchema(schema, awaited, depends), at) ? undefined : false;
    };
    return toIssues(findings, findUndeclared(root, place, fits), value);
  } catch (error) {
    if (error instanceof Exhausted || error instanceof Unusable) return [{ path: '', keyword: 'budget', message: error.message }];
    throw error;
  }
}
