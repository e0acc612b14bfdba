import type { MessageFile } from '../../core/ports/message-file.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { MessageDetails } from './message-details.ts';
import { fileOfUrl } from './message-input.ts';
import type { ProtocolWorkflow } from './protocol-space.ts';

/** A part of a message; files are in members that depend on the API and the type. */
interface Part {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Details of a message. Instructions are left out if the workflow does not use them. @throws {WorkflowError} the errors of `fileOfUrl`. */
export function detailsOf(
  { uses = [] }: ProtocolWorkflow,
  content: string | readonly Part[] | null | undefined,
  instructions: string,
): MessageDetails {
  const files = typeof content === 'string' ? [] : (content ?? []).flatMap(filesOf);
  return {
    ...(files.length > 0 ? { files } : {}),
    ...(instructions !== '' && uses.includes('instructions') ? { instructions } : {}),
  };
}

function filesOf(part: Part): readonly MessageFile[] {
  const url = fileAddressOf(part);
  if (url === undefined) return [];
  const name = part.type === 'file' ? memberOf(part.file, 'filename') : part.filename;
  return [fileOfUrl(url, typeof name === 'string' ? { name } : {})];
}

/** Address of the file in a part: `image_url` and `file` of chat completions, `input_image` and `input_file` of responses. */
export function fileAddressOf(part: Part): string | undefined {
  const found: Readonly<Record<string, unknown>> = {
    image_url: memberOf(part.image_url, 'url'),
    file: memberOf(part.file, 'file_data'),
    input_image: part.image_url,
    input_file: part.file_data,
  };
  const address = found[part.type];
  return typeof address === 'string' ? address : undefined;
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);
