import { toErrorInfo, WorkflowError } from '../core/errors/errors.ts';
import { messageOf } from '../core/errors/message-of.ts';
import type { Json, JsonSchema } from '../core/ports/json.ts';
import type { SchemaIssue, SchemaValidator } from '../core/ports/schema-validator.ts';
import type { StandardSchema } from '../core/ports/standard-schema.ts';
import { jsonSchemaValidator } from '../core/schema/json-schema-validator.ts';
import { parseModelJson } from '../core/schema/parse-model-json.ts';
import { isStandardSchema, standardJsonSchema } from '../core/schema/standard-json-schema.ts';
import { issuesText } from '../core/util/issues-text.ts';
import { maxShown, shownIssues } from '../core/util/shown-list.ts';

/** Required form of a JSON reply, an object, and its resulting type. */
export type ReplyForm<T> = (SchemaForm<T> | JsonSchemaForm<T>) & {
  /** Validates the JSON Schema of either form. @default jsonSchemaValidator */
  readonly validator?: SchemaValidator;
};

interface SchemaForm<T> {
  /** Schema of zod or another library that implements Standard Schema. The model receives its JSON Schema; the result has its type. */
  readonly schema: StandardSchema<T>;
  readonly parse?: undefined;
}

interface JsonSchemaForm<T> {
  readonly schema: JsonSchema;
  /** Converts a value that matches the JSON Schema; throws to reject it. Use `(value) => value` to keep the JSON. */
  readonly parse: (value: Json) => T;
}

/**
 * Parses a JSON reply in the required form. The JSON must be the whole text, or exactly one fenced block.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` with every reason; `OPTION_INVALID` for a schema without a JSON Schema, or with
 * asynchronous checks.
 * @example const { city } = parseJsonReply(reply.text, { schema: z.strictObject({ city: z.string() }) });
 */
export function parseJsonReply<T>(text: string, form: ReplyForm<T>): T {
  const value = parseModelJson(text);
  const compiled = (form.validator ?? jsonSchemaValidator).compile(replySchemaOf(form));
  const issues = compiled.ok ? compiled.check(value) : [{ path: '', message: compiled.reason }];
  if (issues.length > 0) throw refused(shownIssues(issues), issues);
  if (form.parse === undefined) return readWith(form.schema, value);
  try {
    return form.parse(value);
  } catch (cause) {
    throw refused(issuesText(cause) ?? toErrorInfo(cause).message, [], cause);
  }
}

/** Returns the JSON Schema for the model. @throws {WorkflowError} `OPTION_INVALID` for a schema without one. */
export function replySchemaOf({ schema }: ReplyForm<unknown>): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  try {
    return standardJsonSchema(schema);
  } catch (cause) {
    throw unusable(`has no JSON Schema: ${messageOf(cause)}`, cause);
  }
}

function readWith<T>(schema: StandardSchema<T>, value: Json): T {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw unusable('checks asynchronously');
  if (result.issues) throw refused(issuesText(result) ?? 'it does not fit the schema', []);
  return result.value;
}

const refused = (reasons: string, issues: readonly Pick<SchemaIssue, 'path' | 'message'>[], cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_OUTPUT_INVALID',
    message: `The model's reply was refused: ${reasons}.`,
    hint: 'Retry, or use a model that follows the schema.',
    data: { issues: issues.slice(0, maxShown).map(({ path, message }) => ({ path, message })) },
    cause,
  });

const unusable = (what: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The schema of a model's reply ${what}.`,
    hint: 'Describe the reply in JSON Schema, and validate the rest after parsing.',
    cause,
  });
