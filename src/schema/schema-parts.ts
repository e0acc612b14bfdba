import type { ValidateFunction } from 'ajv/dist/core.js';
import type { Fits } from './find-undeclared.ts';
import type { Ajv } from './make-ajv.ts';
import type { Place } from './place.ts';
import type { SchemaDocument } from './schema-document.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import { dependsOn, weakenSchema } from './weaken-schema.ts';

/** The judge of arguments of which some are awaited. */
export interface Weakened {
  readonly validate: ValidateFunction;
  readonly fits: Fits;
}

/** How many sets of awaited arguments are kept: the model chooses them. */
const maxKept = 16;

/** Ajv's verdicts on parts of a schema, each made when it is asked for first. */
export class SchemaParts {
  readonly #document: SchemaDocument;
  readonly #makeAjv: () => Ajv;
  readonly #validators = new Map<SchemaNode, ValidateFunction>();
  readonly #weakened = new Map<string, (place: Place) => Weakened>();
  #ajv: Ajv | undefined;

  constructor(document: SchemaDocument, makeAjv: () => Ajv) {
    this.#document = document;
    this.#makeAjv = makeAjv;
  }

  readonly fits = (schema: Schema, place: Place): boolean => {
    if (typeof schema === 'boolean') return schema;
    const validate = this.#validators.get(schema) ?? this.#compile({ $ref: schema.address });
    this.#validators.set(schema, validate);
    return validate(place.value) === true;
  };

  /** @param root the arguments, with placeholders. */
  weakened(awaited: readonly string[], root: Place): Weakened {
    const names = [...new Set(awaited)].sort();
    const key = JSON.stringify(names);
    const make = this.#weakened.get(key) ?? this.#weaken(names);
    if (this.#weakened.size >= maxKept) this.#weakened.clear();
    this.#weakened.set(key, make);
    return make(root);
  }

  #weaken(awaited: readonly string[]): (root: Place) => Weakened {
    const depends = dependsOn(awaited);
    const compile = (schema: Schema): ValidateFunction => this.#compile(weakenSchema(schema, awaited, depends));
    const validate = compile(this.#document.root);
    const validators = new Map<SchemaNode, ValidateFunction>();
    return (root) => ({
      validate,
      fits: (schema, place) => {
        if (place !== root || typeof schema === 'boolean' || !depends(schema)) return this.fits(schema, place);
        const weak = validators.get(schema) ?? compile(schema);
        validators.set(schema, weak);
        return weak(place.value) === true ? undefined : false;
      },
    });
  }

  #compile(schema: object): ValidateFunction {
    this.#ajv ??= this.#makeAjv().addSchema(this.#document.raw);
    const validate = this.#ajv.compile(schema);
    this.#ajv.removeSchema(schema); // the model chooses what is awaited, so there is no end of them
    return validate;
  }
}
