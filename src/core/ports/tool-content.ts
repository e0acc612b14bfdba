import type { Json } from './json.ts';

/**
 * Output of a tool that shows files to the model, such as a chart or a page: parts in the form of MCP's tool results, with the files of
 * this package. An output with another key, or with a part of another form, is plain JSON. Types rather than interfaces, so that they are
 * assignable to `Json`.
 *
 * @example execute: async () => ({ content: [{ type: 'text', text: 'Sales' }, { type: 'file', mediaType: 'image/png', data }] })
 */
export type ToolContent = {
  /** At least one. */
  readonly content: readonly ToolContentPart[];
  /** Data beside the parts; the model reads it as JSON before the texts. Absent: none. */
  readonly structuredContent?: Json;
};

export type ToolContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** `data`: the content, base64-encoded. `mediaType`: an IANA media type. */
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string; readonly name?: string };
