import { WorkflowError } from '../errors/errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { MessageFile } from '../ports/message-file.ts';
import type { ToolContent, ToolContentPart } from '../ports/tool-content.ts';
import { asObject } from '../util/as-object.ts';
import { isObject } from '../util/is-object.ts';
import { messageFileProblem } from '../util/message-file-problem.ts';
import { describeFile, fileBytes } from '../util/without-files.ts';

/** Maximum number of files in one output or message. */
export const maxFiles = 8;
/** Default maximum size of the files of one output or message together, in bytes of their content. */
export const defaultMaxFileBytes = 4_000_000;

/** Reads an output of texts and files; `undefined` for any other output. The content of the files is not checked. */
export const toolContentOf = (output: Json): ToolContent | undefined => (isToolContent(output) ? output : undefined);

function isToolContent(output: Json): output is ToolContent {
  if (!isObject(output) || !Array.isArray(output.content) || output.content.length === 0) return false;
  return Object.keys(output).every((key) => key === 'content' || key === 'structuredContent') && output.content.every(isPart);
}

const isPart = (part: unknown): boolean =>
  isFile(part) || (isObject(part) && part.type === 'text' && typeof part.text === 'string' && Object.keys(part).length === 2);

/** Other lists have entries of the type `file` too, such as the entries of a folder. Those have no content. */
const isFile = (part: unknown): boolean =>
  isObject(part) &&
  part.type === 'file' &&
  typeof part.mediaType === 'string' &&
  typeof part.data === 'string' &&
  Object.keys(part).every((key) => fileKeys.has(key));

const fileKeys: ReadonlySet<string> = new Set(['type', 'mediaType', 'data', 'name']);

/** @throws {WorkflowError} `TOOL_FAILED`, which names the file that cannot be shown. */
export function checkToolContent(tool: string, output: Json): Json {
  for (const [index, part] of (toolContentOf(output)?.content ?? []).entries()) {
    const problem = part.type === 'file' ? messageFileProblem(part) : undefined;
    if (problem === undefined) continue;
    throw new WorkflowError({
      code: 'TOOL_FAILED',
      message: `The tool "${tool}" returned a file that cannot be shown: content[${index}]${problem}.`,
      hint: "Return files as { type: 'file', mediaType, data, name? }, with the content in base64.",
      data: { tool },
    });
  }
  return output;
}

/**
 * Returns an output as a model reads it: text, and the files of `ToolContent`. Other JSON becomes text.
 * @example const { text, files } = toModelContent(output);
 */
export function toModelContent(output: Json): { readonly text: string; readonly files: readonly MessageFile[] } {
  const shown = toolContentOf(output);
  if (!shown) return { text: typeof output === 'string' ? output : JSON.stringify(output), files: [] };
  const { content, structuredContent } = shown;
  const data = structuredContent === undefined ? [] : [JSON.stringify(structuredContent)];
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { text: [...data, ...texts].join('\n'), files: content.flatMap((part) => (part.type === 'file' ? [toFile(part)] : [])) };
}

type FilePart = Extract<ToolContentPart, { readonly type: 'file' }>;

const toFile = ({ type: _, ...file }: FilePart): MessageFile => file;

/**
 * Returns the output with a text in place of each file beyond the limits: 8 files, and `maxBytes` for all of them together. Any other
 * output is returned unchanged.
 *
 * @param maxBytes Bytes of the files' content; 0 for a place that shows no files.
 * @example limitFiles(output, 0); // { content: [{ type: 'text', text: '[attached: chart.png, image/png, 8 bytes]' }] }
 */
export function limitFiles(output: Json, maxBytes: number): Json {
  const shown = toolContentOf(output);
  if (!shown) return output;
  let [bytes, count] = [0, 0];
  const content = shown.content.map((part): ToolContentPart => {
    if (part.type === 'text') return part;
    const size = fileBytes(part);
    if (count < maxFiles && bytes + size <= maxBytes) {
      count++;
      bytes += size;
      return part;
    }
    const limit = count < maxFiles ? `${maxBytes} bytes` : `${maxFiles} files`;
    return { type: 'text', text: describeFile(part, maxBytes === 0 ? '' : `, left out: more than ${limit}`) };
  });
  return { ...shown, content };
}

/**
 * Checks an output without the content of its files. The files stay if the checked value has the same parts, whatever their texts and
 * names; otherwise the value replaces the whole output.
 */
export async function checkTexts(output: Json, check: (value: Json) => Promise<Json>): Promise<Json> {
  const shown = toolContentOf(output);
  if (!shown) return check(output);
  const given: Json = { ...shown, content: shown.content.map(withoutContent) };
  const checked = await check(given);
  if (checked === given) return output;
  const parts: readonly Json[] = isObject(checked) && Array.isArray(checked.content) ? checked.content : [];
  if (parts.length !== shown.content.length) return checked;
  const content = shown.content.flatMap((part, index) => withContent(part, asObject(parts[index])));
  return content.length === parts.length ? { ...asObject(checked), content } : checked;
}

function withoutContent(part: ToolContentPart): JsonObject {
  if (part.type === 'text') return part;
  const { data: _, ...rest } = part;
  return { ...rest, bytes: fileBytes(part) };
}

/** A checked part with the content of the original; empty if it is another part. */
function withContent(part: ToolContentPart, { type, text, name }: JsonObject): readonly ToolContentPart[] {
  if (type !== part.type) return [];
  if (part.type === 'text') return typeof text === 'string' ? [{ type: 'text', text }] : [];
  const { type: _, name: __, ...file } = part;
  return [{ type: 'file', ...file, ...(typeof name === 'string' ? { name } : {}) }];
}
