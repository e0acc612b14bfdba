import type { Json } from '../../core/ports/json.ts';
import { asJson } from '../../core/util/as-json.ts';
import { checkFields } from '../../core/util/check-fields.ts';
import { checkText } from '../../core/util/check-text.ts';
import { parseMessageFiles } from '../../models/message-files.ts';

/** The stored part of a request that agents share. */
export type StoredRequest = {
  readonly input: string;
  /** Absent: no files. */
  readonly files?: Json;
};

/**
 * Checks the input of an agent: `{ input }`, `files` if they are a known field, and no unknown fields.
 *
 * @param options.fields Names of the fields beside `input`.
 * @param options.example Placeholder of the error's hint.
 * @param options.maxChars Maximum length of `input`. @default 1_000_000
 * @throws {WorkflowError} `INPUT_INVALID`.
 * @example
 * parseInput: (value) => ({ ...parseRequest(value, { fields: ['tools'], example: 'your order' }), tools: grantTools(value.tools, tools) })
 */
export function parseRequest(
  value: { readonly input?: unknown; readonly files?: unknown } | null | undefined,
  {
    fields = [],
    example,
    maxChars = 1_000_000,
  }: { readonly fields?: readonly string[]; readonly example: string; readonly maxChars?: number },
): StoredRequest {
  checkFields(value, ['input', ...fields]);
  const input = checkText('input', value?.input, { max: maxChars, hint: `Start the run with { input: '${example}' }.` });
  const files = parseMessageFiles(value?.files);
  return { input, ...(files.length > 0 ? { files: asJson(files) } : {}) };
}
