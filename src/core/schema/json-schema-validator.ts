import { secondVerdict } from '#second-verdict';
import { messageOf } from '../errors/message-of.ts';
import { shorten } from '../errors/shorten.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { CompiledSchema, SchemaIssue, SchemaValidator } from '../ports/schema-validator.ts';
import { isObject } from '../util/is-object.ts';
import { toJson } from '../util/to-json.ts';
import { type Fits, findUndeclared } from './find-undeclared.ts';
import { Judge } from './judge.ts';
import { assertSmall } from './schema-budget.ts';
import { SchemaDocument } from './schema-document.ts';
import type { Finding } from './schema-finding.ts';
import { toIssues } from './schema-issues.ts';
import type { Schema } from './schema-node.ts';
import { placeholder, type SchemaWeakener, schemaWeakener } from './schema-weakener.ts';
import { toSupportedDraft } from './to-supported-draft.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';
import { Place } from './value-place.ts';
import { assertShallow, assertWork, WorkBudgetError } from './work-budget.ts';

/**
 * Checks arguments against JSON Schema 2020-12 and rejects undeclared members: of the arguments themselves always, of nested objects unless
 * the schema opens that object. Unknown keywords and formats are not checked; they are reported.
 *
 * It interprets schemas itself. Where code generation is allowed (Node, Bun, Deno), Ajv checks accepted values too, and both must agree. In
 * browsers and on Workers it works alone. Foreign schemas and values cannot block it: sizes are limited, the cost of a check is bounded in
 * advance, and patterns take linear time.
 */
export const jsonSchemaValidator: SchemaValidator = {
  compile(schema) {
    if (!isObject(schema)) return rejection('the schema of the arguments is not an object');
    const known = compiled.get(schema);
    if (known) return known;
    const made = compile(schema);
    compiled.set(schema, made);
    return made;
  },
};

const compiled = new WeakMap<JsonObject, CompiledSchema>();

const rejection = (reason: string): CompiledSchema => ({ ok: false, reason: shorten(reason.replace(/\.$/, ''), 400) });

/** The same schema arrives as different objects, from a server that lists its tools again or a tool made per run. */
const byText = new Map<string, CompiledSchema>();
const maxCached = 200;
const maxCachedLength = 20_000;

function compile(schema: JsonObject): CompiledSchema {
  try {
    const { type = 'object' } = schema;
    if (type !== 'object') return rejection('the schema of the arguments is not of type "object"');
    assertSmall(schema);
    // a copy, because the owner may change the original
    const whole = toJson({ ...Object(toSupportedDraft(schema)), type }, 'schema') as JsonObject;
    const text = JSON.stringify(whole);
    const known = byText.get(text);
    if (known) return known;
    const made = make(whole);
    return text.length > maxCachedLength ? made : keep(byText, text, made, maxCached);
  } catch (error) {
    return rejection(messageOf(error));
  }
}

function keep<T>(cache: Map<string, T>, key: string, value: T, most: number): T {
  for (const oldest of cache.keys()) if (cache.size >= most) cache.delete(oldest);
  cache.set(key, value);
  return value;
}

function make(schema: JsonObject): CompiledSchema {
  const { root, ignored } = new SchemaDocument(schema);
  // Decision 139: two validators must agree; the second can only reject.
  const second = secondVerdict(typeof root === 'boolean' ? schema : root.raw);
  const weakeners = new Map<string, SchemaWeakener>();
  return {
    ok: true,
    ignored: [...ignored],
    check(value, awaited = []) {
      if (awaited.length === 0) return checkValue(root, value, { second });
      const key = JSON.stringify(awaited);
      const weakener = weakeners.get(key) ?? keep(weakeners, key, schemaWeakener(awaited), maxWeakeners);
      return checkValue(root, { ...Object(value), ...Object.fromEntries(awaited.map((name) => [name, placeholder])) }, { weakener });
    },
  };
}

/** Plans refer to few sets of a tool's arguments; the bound stops a hostile one from filling the memory. */
const maxWeakeners = 16;

interface CheckOptions {
  readonly second?: (value: Json) => Finding | undefined;
  readonly weakener?: SchemaWeakener;
}

function checkValue(root: Schema, value: Json, { second, weakener }: CheckOptions): readonly SchemaIssue[] {
  try {
    assertShallow(value);
    const place = new Place(value);
    assertWork(root, place);
    const judge = new Judge();
    const findings: Finding[] = [];
    judge.apply(weakener ? weakener.weaken(root) : root, place, findings);
    const disagrees = findings.length === 0 ? second?.(value) : undefined;
    if (disagrees) findings.push(disagrees);
    const fits: Fits = (schema, at) => {
      if (!weakener || at !== place || !weakener.depends(schema)) return judge.fits(schema, at);
      // a schema that depends on awaited arguments can only be certain that no value fits
      return judge.fits(weakener.weaken(schema), at) ? undefined : false;
    };
    return toIssues(findings, findUndeclared(root, place, fits), value);
  } catch (error) {
    if (error instanceof WorkBudgetError || error instanceof UnusableSchemaError)
      return [{ path: '', keyword: 'budget', message: error.message }];
    throw error;
  }
}
