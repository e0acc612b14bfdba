import type { Json, JsonSchema } from './json.ts';

/** Checks values against JSON Schemas. */
export interface SchemaValidator {
  /**
   * Prepares the schema of a tool's arguments. It rejects undeclared arguments whatever the schema says, and undeclared members of nested
   * objects unless the schema allows them for that object. Cached per schema object.
   */
  compile(schema: JsonSchema): CompiledSchema;
}

export type CompiledSchema =
  | {
      readonly ok: true;
      /** Annotations that are not checked, such as unknown keywords and formats. */
      readonly ignored: readonly string[];
      /**
       * Returns the violations in document order, at most 1,000; empty if the value is valid.
       * @param awaited arguments whose values are not known yet; none of them causes a violation. @default []
       */
      check(value: Json, awaited?: readonly string[]): readonly SchemaIssue[];
    }
  /** The schema itself is unusable; reject its owner. */
  | { readonly ok: false; readonly reason: string };

export interface SchemaIssue {
  /** JSON pointer of the offending value, `''` for the value itself. */
  readonly path: string;
  /** The keyword that failed, for example `required`. */
  readonly keyword: string;
  readonly message: string;
}
