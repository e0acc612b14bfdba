import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import { isObject } from '../../core/util/is-object.ts';
import { messageFileProblem } from '../../core/util/message-file-problem.ts';
import type { MessageDetails } from './message-details.ts';
import type { ProtocolWorkflow } from './protocol-space.ts';
import { unsupported } from './read-body.ts';

/**
 * Makes the input of a run. Files go to the member `files` of a workflow without `toInput`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a part that the workflow does not use; `INPUT_INVALID` for an invalid input.
 */
export function inputOf({ id, workflow, toInput, uses = [] }: ProtocolWorkflow, text: string, details: MessageDetails = {}): Json {
  const given = Object.keys(details) as (keyof MessageDetails)[]; // the keys of a literal of that type
  const isDefault = (name: keyof MessageDetails): boolean => name === 'files' && !toInput;
  const unused = given.find((name) => !uses.includes(name) && !isDefault(name));
  if (unused !== undefined) throw notUsed(id, unused);
  if (toInput) return toInput(text, details);
  const { files } = details;
  if (!files) return { input: text };
  const input = { input: text, files: files.map((file) => ({ ...file })) };
  const parsed = workflow.parseInput(input);
  if (!isObject(parsed) || !('files' in parsed)) throw notUsed(id, 'files');
  return input;
}

const notUsed = (id: string, name: keyof MessageDetails): WorkflowError =>
  unsupported(`${name} for "${id}"`, `Remove them, or let the workflow's toInput read them and list "${name}" in its uses.`);

/**
 * Reads a file with its content from a data URL.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for another address, which the server does not fetch; `INPUT_INVALID` for invalid content.
 */
export function fileOfUrl(url: string, { mediaType, name }: { readonly mediaType?: string; readonly name?: string } = {}): MessageFile {
  const comma = url.indexOf(',');
  const [, type = '', encoding] = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?$/i.exec(url.slice(0, Math.max(comma, 0))) ?? [];
  if (!encoding) throw unsupported('a file without its content', 'Send the file as a data URL with base64.');
  const file = { mediaType: (mediaType ?? type).toLowerCase(), data: url.slice(comma + 1), ...(name ? { name } : {}) };
  const problem = messageFileProblem(file);
  if (problem === undefined) return file;
  throw new WorkflowError({ code: 'INPUT_INVALID', message: `The file${problem}.`, hint: 'Send an image or a document as base64.' });
}
