import type { ErrorInfo } from '../ports/error-info.ts';
import type { JsonObject } from '../ports/json.ts';

/** What a node has done, in a few words for its line, and lines below it. */
export interface NodeDescription {
  readonly summary: string;
  readonly lines?: readonly string[];
  /** The node has done its work, but a step of it has failed. */
  readonly failed?: boolean;
}

/** How the words of a description are written where it is shown: a terminal has its widths, its units and its hints. */
export interface DescriptionFormat {
  /** A text from outside on one line, safe to print, cut to a width of columns. @param columns Default: as wide as it is. */
  oneLine(text: string, columns?: number): string;
  /** Fills a text with spaces up to a width of columns. */
  pad(text: string, columns: number): string;
  /** A duration with its unit. */
  milliseconds(value: number): string;
  /** What to do about an error; `''`: nothing that can be done here. */
  hintOf(error: ErrorInfo): string;
  /** Calls that wait for an approval. */
  waitsFor(held: readonly { readonly tool: string }[]): string;
}

/** Says what a node has done, from the change that it made to the state. */
export type DescribeNode = (node: string, patch: JsonObject, format: DescriptionFormat) => NodeDescription;
