/**
 * A schema of a library that follows the Standard Schema specification and can say itself as JSON Schema: zod 4.2, ArkType, Valibot by its
 * adapter. What it checks has the type `TOutput`; what it may be given, where the two differ, `TInput`.
 */
export interface StandardSchema<TOutput, TInput = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** For example `zod`. */
    readonly vendor: string;
    /** Checks a value and gives what it is read as. */
    readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>;
    /** Carries the types, never read. */
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined;
    readonly jsonSchema: {
      /** What a value has to be before it is read. @throws when JSON Schema cannot say it. */
      readonly input: (options: {
        readonly target: 'draft-2020-12';
        readonly libraryOptions?: Record<string, unknown>;
      }) => Record<string, unknown>;
    };
  };
}

/** A value as a schema reads it, or why it is refused. */
export type StandardResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };
