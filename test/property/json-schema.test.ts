import type { Json, JsonObject } from 'agent-machines';
import { jsonSchemaValidator } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ZodType, z } from 'zod';
import { name, objectValue, toCondition, whole } from '../fixtures/random-schemas.ts';
import { share } from '../fixtures/share.ts';

// ---------------------------------------------------------------------------------------------------------------------
// 1. What is not known yet.

const check = (raw: JsonObject, at: Json, awaited?: readonly string[]) => {
  const schema = jsonSchemaValidator.compile(raw);
  return schema.ok ? schema.check(at, awaited) : undefined;
};

describe('unknown arguments', () => {
  it('cause no rejection if they can make the input valid', () => {
    let accepted = 0;
    fc.assert(
      fc.property(whole, fc.array(objectValue, { minLength: 4, maxLength: 8 }), (raw, values) => {
        const root: JsonObject = { ...raw, type: 'object', properties: { a: true, b: true, c: true, ...Object(raw.properties) } };
        for (const at of values) {
          if (check(root, at)?.length !== 0) continue;
          const keys = Object.keys(at);
          for (let subset = 1; subset < 2 ** keys.length; subset++) {
            const awaited = keys.filter((_, index) => subset & (1 << index));
            const known = Object.fromEntries(Object.entries(at).filter(([key]) => !awaited.includes(key)));
            expect(check(root, known, awaited)).toEqual([]);
            accepted++;
          }
        }
      }),
      { numRuns: share(1_000) },
    );
    expect(accepted).toBeGreaterThan(share(30));
  });
});

// ---------------------------------------------------------------------------------------------------------------------
// 2. What nothing declares. A shape can be written as a schema in many ways, and says which objects of a value are closed.

type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'any' }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>>; readonly optional: boolean }
  | { readonly kind: 'list' | 'map' | 'nullable' | 'tree'; readonly of: Shape }
  | { readonly kind: 'tagged'; readonly variants: readonly Shape[] }
  | { readonly kind: 'both'; readonly left: Readonly<Record<string, Shape>>; readonly right: Readonly<Record<string, Shape>> };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => {
  const membersOf = (keys: readonly string[]) => fc.dictionary(fc.constantFrom(...keys), tie('shape'), { minKeys: 1, maxKeys: 2 });
  const object = fc.record({ kind: fc.constant('object' as const), members: membersOf(['p', 'q', 'r']), optional: fc.boolean() });
  return {
    shape: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'shape', withCrossShrink: true },
      { weight: 1, arbitrary: fc.constantFrom<Shape>({ kind: 'text' }, { kind: 'any' }) },
      { weight: 3, arbitrary: object },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constantFrom('list' as const, 'map' as const, 'nullable' as const), of: tie('shape') }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('tree' as const), of: tie('shape') }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('tagged' as const), variants: fc.array(object, { minLength: 1, maxLength: 3 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('both' as const), left: membersOf(['p', 'q']), right: membersOf(['r', 's']) }),
      },
    ),
  };
});
const argument = fc.record({
  kind: fc.constant('object' as const),
  members: fc.dictionary(name, shape, { minKeys: 1, maxKeys: 3 }),
  optional: fc.boolean(),
});

const mapped = <T, U>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, it]) => [key, change(it, key)]));
const tagOf = (index: number): string => `variant-${index}`;

function toZod(shape: Shape): ZodType {
  switch (shape.kind) {
    case 'text':
      return z.string();
    case 'any':
      return z.any();
    case 'object':
      return z.object(mapped(shape.members, (it) => (shape.optional ? toZod(it).optional() : toZod(it))));
    case 'list':
      return z.array(toZod(shape.of));
    case 'map':
      return z.record(z.string(), toZod(shape.of));
    case 'nullable':
      return toZod(shape.of).nullable();
    case 'tree': {
      const of = toZod(shape.of);
      const tree: ZodType = z.object({ of, next: z.array(z.lazy(() => tree)) });
      return tree;
    }
    case 'tagged': {
      const options = shape.variants.map((it, index) =>
        it.kind === 'object' ? z.object({ tag: z.literal(tagOf(index)), ...mapped(it.members, toZod) }) : z.object({ tag: z.never() }),
      );
      const [first, ...rest] = options;
      return first ? z.discriminatedUnion('tag', [first, ...rest]) : z.never();
    }
    case 'both':
      return z.intersection(z.object(mapped(shape.left, toZod)), z.object(mapped(shape.right, toZod)));
  }
}

/** By hand, as the tools of others are written: behind references, and objects in two halves. */
function toSchema(root: Shape): JsonObject {
  const $defs: Record<string, JsonObject> = {};
  const define = (make: (own: JsonObject) => JsonObject): JsonObject => {
    const id = `def-${Object.keys($defs).length}`;
    const own = { $ref: `#/$defs/${id}` };
    $defs[id] = {};
    $defs[id] = make(own);
    return own;
  };
  const object = (members: Readonly<Record<string, JsonObject>>, required: readonly string[]): JsonObject => ({
    type: 'object',
    properties: members,
    required,
  });
  const write = (shape: Shape): JsonObject => {
    switch (shape.kind) {
      case 'text':
        return { type: 'string' };
      case 'any':
        return {};
      case 'object': {
        const members = mapped(shape.members, write);
        return define(() => object(members, shape.optional ? [] : Object.keys(members)));
      }
      case 'list':
        return { type: 'array', items: write(shape.of) };
      case 'map':
        return { type: 'object', additionalProperties: write(shape.of) };
      case 'nullable':
        return { anyOf: [write(shape.of), { type: 'null' }] };
      case 'tree':
        return define((own) => object({ of: write(shape.of), next: { type: 'array', items: own } }, ['of', 'next']));
      case 'tagged':
        return tagged(shape.variants);
      case 'both': {
        // each half describes some of one object, and of the object `deep` inside it
        const half = (members: Readonly<Record<string, Shape>>): JsonObject => object(mapped(members, write), Object.keys(members));
        return { allOf: [define(() => half(shape.left)), half(shape.right)] };
      }
    }
  };
  const tagged = (variants: readonly Shape[]): JsonObject => {
    const written = variants.map((it, index) =>
      object({ tag: { const: tagOf(index) }, ...(it.kind === 'object' ? mapped(it.members, write) : {}) }, [
        'tag',
        ...(it.kind === 'object' ? Object.keys(it.members) : []),
      ]),
    );
    if (written.length % 2 === 1) return { oneOf: written };
    const tag = { enum: written.map((_, index) => tagOf(index)) };
    const conditions = written.map((variant, index) => toCondition([{ properties: { tag: { const: tagOf(index) } } }, variant, null]));
    return { type: 'object', properties: { tag }, required: ['tag'], allOf: conditions };
  };
  return { ...write(root), $defs };
}

function randomValue(shape: Shape, depth = 0): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case 'text':
      return fc.constantFrom<Json>('x', '');
    case 'any':
      return fc.constantFrom<Json>(1, 'x', { free: { z: 1 } }, [{ z: 2 }]);
    case 'object':
      return fc.record(
        mapped(shape.members, (it) => randomValue(it, depth)),
        shape.optional ? { requiredKeys: [] } : {},
      ) as fc.Arbitrary<Json>;
    case 'list':
      return fc.array(randomValue(shape.of, depth), { maxLength: 2 });
    case 'map':
      return fc.dictionary(fc.constantFrom('k', 'p', 'tag'), randomValue(shape.of, depth), { maxKeys: 2 });
    case 'nullable':
      return fc.oneof({ weight: 3, arbitrary: randomValue(shape.of, depth) }, { weight: 1, arbitrary: fc.constant<Json>(null) });
    case 'tree':
      return fc.record({
        of: randomValue(shape.of, depth),
        next: depth >= 2 ? fc.constant<Json[]>([]) : fc.array(randomValue(shape, depth + 1), { maxLength: 2 }),
      });
    case 'tagged':
      return fc.oneof(
        ...shape.variants.map((it, index) =>
          fc.record({
            tag: fc.constant(tagOf(index)),
            ...(it.kind === 'object' ? mapped(it.members, (member) => randomValue(member, depth)) : {}),
          }),
        ),
      );
    case 'both':
      return fc.record(mapped({ ...shape.left, ...shape.right }, (it) => randomValue(it, depth)));
  }
}

/** Where the objects of a value are that a shape closes, and where those that are maps. */
function objectsOf(shape: Shape, at: Json, path: string): (readonly [path: string, isClosed: boolean])[] {
  if (typeof at !== 'object' || at === null) return [];
  const inside = (members: Readonly<Record<string, Shape>>) =>
    Object.entries(at).flatMap(([key, it]) => (members[key] ? objectsOf(members[key], it, `${path}/${key}`) : []));
  switch (shape.kind) {
    case 'text':
    case 'any':
      return [];
    case 'object':
      return [[path, true], ...inside(shape.members)];
    case 'list':
      return Object.entries(at).flatMap(([key, it]) => objectsOf(shape.of, it, `${path}/${key}`));
    case 'map':
      return [[path, false], ...Object.entries(at).flatMap(([key, it]) => objectsOf(shape.of, it, `${path}/${key}`))];
    case 'nullable':
      return objectsOf(shape.of, at, path);
    case 'tree':
      return [[path, true], ...inside({ of: shape.of, next: { kind: 'list', of: shape } })];
    case 'tagged': {
      const variant = shape.variants.find((_, index) => 'tag' in at && at.tag === tagOf(index));
      return [[path, true], ...(variant?.kind === 'object' ? inside(variant.members) : [])];
    }
    case 'both':
      return [[path, true], ...inside({ ...shape.left, ...shape.right })];
  }
}

function withExtra(at: Json, path: string, extra: Json): Json {
  const copy = structuredClone(at) as Json;
  let target: unknown = copy;
  for (const key of path.split('/').slice(1)) target = Object(target)[key];
  Object.assign(Object(target), { extra });
  return copy;
}

describe('an undeclared member', () => {
  const written = argument.chain((root) => fc.record({ root: fc.constant(root), at: randomValue(root), byHand: fc.boolean() }));

  it('is rejected in every object of every form of schema, and nothing else is', () => {
    const seen = { closed: 0, maps: 0, deep: 0 };
    fc.assert(
      fc.property(written, ({ root, at, byHand }) => {
        const raw = byHand ? toSchema(root) : (z.toJSONSchema(toZod(root), { io: 'input', reused: 'ref' }) as JsonObject);
        expect(check(raw, at)).toEqual([]);
        for (const [path, isClosed] of objectsOf(root, at, '')) {
          if (isClosed) {
            const issues = check(raw, withExtra(at, path, 'x'));
            expect(issues).toEqual([expect.objectContaining({ path: `${path}/extra`, message: 'is not a declared argument' })]);
            seen.closed++;
            if (path.split('/').length > 3) seen.deep++;
          } else {
            const [some] = Object.values(
              Object(
                path
                  .split('/')
                  .slice(1)
                  .reduce<unknown>((it, key) => Object(it)[key], at),
              ) as JsonObject,
            );
            if (some === undefined) continue;
            expect(check(raw, withExtra(at, path, some))).toEqual([]);
            seen.maps++;
          }
        }
      }),
      { numRuns: share(150) },
    );
    expect(Math.min(seen.closed, seen.maps, seen.deep)).toBeGreaterThan(share(15));
  });
});
