import type { Json, JsonSchema } from './json.ts';

/** Checks values against JSON Schemas. */
export interface SchemaValidator {
  /**
   * Prepares the schema of a tool's arguments. Undeclared arguments are refused whatever the schema says, and undeclared members of objects
   * inside them unless it opens that very object. Cached per schema object.
   */
  compile(schema: JsonSchema): CompiledSchema;
}

export type CompiledSchema =
  | {
      readonly ok: true;
      /** Annotations that are not checked, such as unknown keywords and formats. */
      readonly ignored: readonly string[];
      /**
       * The violations, in document order, 1,000 at the most; empty = valid.
       * @param awaited arguments that will be there with values that are not known yet: nothing is refused for what they may be. @default []
       */
      check(value: Json, awaited?: readonly string[]): readonly SchemaIssue[];
    }
  /** The schema itself cannot be used: whatever it belongs to must be refused. */
  | { readonly ok: false; readonly reason: string };

export interface SchemaIssue {
  /** JSON pointer of the offending value, `''` for the value itself. */
  readonly path: string;
  /** The keyword that failed, for example `required`. */
  readonly keyword: string;
  readonly message: string;
}
