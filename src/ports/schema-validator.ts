import type { Json, JsonSchema } from './json.ts';

/** Checks values against JSON Schemas. */
export interface SchemaValidator {
  /** Prepares the schema of a tool's arguments; undeclared arguments are refused whatever the schema says. Cached per schema object. */
  compile(schema: JsonSchema): CompiledSchema;
}

export type CompiledSchema =
  | {
      readonly ok: true;
      /** Annotations that are not checked, such as unknown keywords and formats. */
      readonly ignored: readonly string[];
      /** Every violation, in document order; empty = valid. */
      check(value: Json): readonly SchemaIssue[];
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
