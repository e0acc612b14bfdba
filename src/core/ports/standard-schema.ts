/**
 * A schema that follows the Standard Schema specification and converts to JSON Schema: zod 4.2, ArkType, Valibot with its adapter.
 * `TOutput` is the type of the parsed value; `TInput` that of the raw value if it differs.
 */
export interface StandardSchema<TOutput, TInput = unknown> {
  readonly '~standard': {
    readonly version: 1;
    /** For example `zod`. */
    readonly vendor: string;
    /** Checks a value and returns the parsed one. */
    readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>;
    /** Type information only, never read. */
    readonly types?: { readonly input: TInput; readonly output: TOutput } | undefined;
    readonly jsonSchema: {
      /** JSON Schema of the raw value. @throws when JSON Schema cannot express it. */
      readonly input: (options: {
        readonly target: 'draft-2020-12';
        readonly libraryOptions?: Record<string, unknown>;
      }) => Record<string, unknown>;
    };
  };
}

/** The parsed value, or the reasons of its rejection. */
export type StandardResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };
