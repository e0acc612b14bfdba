import type { Json } from '../ports/json.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

const maxValues = 50_000;
const maxDepth = 200;
const maxTextLength = 1_000_000;
/** Each one is parsed and stored. */
export const maxSchemas = 2_000;
/** Limit for the lists of `dependentRequired` and `dependencies`; Ajv's code for a list grows with its square. */
export const maxDependencies = 500;
/** Steps of all patterns together. */
export const maxPatternSize = 50_000;
/** Schemas that check the same value through each other, each a stack frame. */
const maxChain = 100;
/** Limit of paths, because a schema reached by several paths is checked on each. */
const maxWays = 10_000;

/**
 * Checks size and depth before any recursive walk.
 * @throws {UnusableSchemaError}
 */
export function assertSmall(raw: Json): void {
  let values = 0;
  let length = 0;
  const open: (readonly [value: Json, depth: number])[] = [[raw, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (++values > maxValues) throw new UnusableSchemaError(`it has more than ${maxValues} values`);
    if (depth > maxDepth) throw new UnusableSchemaError(`it is nested more than ${maxDepth} levels deep`);
    if (typeof value === 'string') length += value.length;
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        length += key.length;
        open.push([inner, depth + 1]);
      }
    }
    if (length > maxTextLength) throw new UnusableSchemaError(`it has more than ${maxTextLength} characters of text`);
  }
}

/**
 * Rejects schemas that refer back to themselves without descending into the value; their check would never end.
 * @throws {UnusableSchemaError}
 */
export function assertEnds(nodes: readonly SchemaNode[]): void {
  const lengths = new Map<SchemaNode, number>();
  const ways = new Map<Schema, number>();
  const lengthOf = (schema: Schema, before: number): number => {
    if (typeof schema === 'boolean') return 0;
    const known = lengths.get(schema);
    if (known === Number.POSITIVE_INFINITY) throw new UnusableSchemaError('it has an endless reference to itself');
    if (known !== undefined) return known;
    if (before > maxChain) throw new UnusableSchemaError(`it applies a chain of more than ${maxChain} schemas to one value`);
    lengths.set(schema, Number.POSITIVE_INFINITY);
    let longest = 0;
    for (const next of schema.ofSameValue) longest = Math.max(longest, lengthOf(next, before + 1));
    lengths.set(schema, longest + 1);
    const judged = schema.ofSameValue.reduce((sum, next) => sum + (ways.get(next) ?? 1), 1);
    if (judged > maxWays) throw new UnusableSchemaError(`its alternatives multiply to more than ${maxWays} checks of one value`);
    ways.set(schema, judged);
    return longest + 1;
  };
  for (const node of nodes) {
    if (lengthOf(node, 0) > maxChain) throw new UnusableSchemaError(`it applies a chain of more than ${maxChain} schemas to one value`);
  }
}
