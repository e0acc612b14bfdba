import type { Schema, SchemaNode } from './schema-node.ts';
import type { Place } from './value-place.ts';

/** Tests a value against a schema; `undefined` if the result depends on awaited arguments. */
export type Fits = (schema: Schema, place: Place) => boolean | undefined;

/** A schema that applies to a value. A mere test (`if`, `contains`) can declare members, but neither close nor open an object. */
interface AppliedSchema {
  readonly schema: Schema;
  readonly isTest: boolean;
}

/** Combined statements of schemas about an object's members. */
interface Declaration {
  /** They declare members, so others are rejected. */
  readonly declares: boolean;
  /** They explicitly allow others. */
  readonly opens: boolean;
}

const noDeclaration: Declaration = { declares: false, opens: false };

const joinDeclarations = (parts: readonly Declaration[]): Declaration => ({
  declares: parts.some(({ declares }) => declares),
  opens: parts.some(({ opens }) => opens),
});

/** An alternative without declarations allows every member. */
const alternative = (parts: readonly Declaration[]): Declaration => ({
  declares: parts.every(({ declares }) => declares),
  opens: parts.some(({ opens }) => opens),
});

/**
 * Finds members that no applicable schema declares, neither in place nor behind a reference nor beside another schema of the same object
 * (which `unevaluatedProperties` ignores for nested objects). Objects without any declared member, and those that allow others, stay open.
 */
export function findUndeclared(schema: Schema, root: Place, fits: Fits): readonly Place[] {
  const found: Place[] = [];
  const visit = (place: Place, applied: readonly AppliedSchema[]): void => {
    if (!place.isObject && !place.isList) return;
    const members = new Members(place, fits);
    const { declares, opens } = joinDeclarations(applied.map((one) => members.add(one)));
    // the arguments themselves are always closed, because a foreign schema can open itself in many ways
    const isClosed = place === root || (declares && !opens);
    for (const key of place.keys) {
      const isDeclared = members.named.has(key) || (place !== root && members.matched.has(key));
      if (place.isObject && isClosed && !isDeclared) found.push(place.member(key));
    }
    for (const [key, inner] of members.applied) visit(place.member(key), inner);
  };
  visit(root, [{ schema, isTest: false }]);
  return found;
}

/** Members of one value, and the schemas that apply to each. */
class Members {
  readonly named = new Set<string>();
  readonly matched = new Set<string>();
  readonly applied = new Map<string, AppliedSchema[]>();
  readonly #place: Place;
  readonly #fits: Fits;
  readonly #applied = new Map<SchemaNode, Declaration>();
  readonly #tested = new Map<SchemaNode, Declaration>();

  constructor(place: Place, fits: Fits) {
    this.#place = place;
    this.#fits = fits;
  }

  add({ schema, isTest }: AppliedSchema): Declaration {
    if (typeof schema === 'boolean') return noDeclaration;
    const known = isTest ? this.#tested : this.#applied;
    const before = known.get(schema);
    if (before) return before;
    this.#addMembers(schema, isTest);
    const parts = [isTest ? noDeclaration : ownDeclaration(schema)];
    for (const part of schema.conjuncts) parts.push(this.add({ schema: part.schema, isTest }));
    for (const [name, part] of schema.dependentSchemas) if (this.#place.has(name)) parts.push(this.add({ schema: part, isTest }));
    for (const choice of [schema.anyOf, schema.oneOf]) {
      if (choice) parts.push(alternative(this.#possible(choice, isTest).map((part) => this.add({ schema: part, isTest }))));
    }
    if (schema.condition !== undefined) parts.push(this.#addCondition(schema, schema.condition, isTest));
    const declaration = isTest ? noDeclaration : joinDeclarations(parts);
    known.set(schema, declaration);
    return declaration;
  }

  /** Alternatives that the value matches; all of them if it matches none, which is a separate issue. */
  #possible(choice: readonly Schema[], isTest: boolean): readonly Schema[] {
    if (isTest) return choice;
    const fitting = choice.filter((part) => this.#fits(part, this.#place) !== false);
    return fitting.length > 0 ? fitting : choice;
  }

  #addCondition({ whenTrue = true, whenFalse = true }: SchemaNode, condition: Schema, isTest: boolean): Declaration {
    this.add({ schema: condition, isTest: true });
    const verdict = isTest ? undefined : this.#fits(condition, this.#place);
    const branches = verdict === undefined ? [whenTrue, whenFalse] : [verdict ? whenTrue : whenFalse];
    return alternative(branches.map((schema) => this.add({ schema, isTest })));
  }

  #addMembers(schema: SchemaNode, isTest: boolean): void {
    for (const [index, key] of this.#place.keys.entries()) {
      if (this.#place.isList) {
        this.#apply(key, schema.ofItem(index), isTest);
        if (schema.contains !== undefined) this.#apply(key, [schema.contains], true);
        continue;
      }
      if (schema.properties?.has(key)) this.named.add(key);
      if (schema.patternProperties.some(([pattern]) => pattern.test(key))) this.matched.add(key);
      this.#apply(key, schema.ofMember(key), isTest);
    }
  }

  #apply(key: string, schemas: readonly Schema[], isTest: boolean): void {
    if (!this.#place.hasMembers(key)) return;
    const before = this.applied.get(key) ?? [];
    for (const schema of schemas) before.push({ schema, isTest });
    this.applied.set(key, before);
  }
}

const allows = (schema: Schema | undefined): boolean => schema !== undefined && schema !== false;

const ownDeclaration = ({ properties, additionalProperties, unevaluatedProperties }: SchemaNode): Declaration => ({
  declares: properties !== undefined,
  opens: allows(additionalProperties) || allows(unevaluatedProperties),
});
