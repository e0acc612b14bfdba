import type { ErrorInfo } from '../core/ports/error-info.ts';
import type { JsonObject } from '../core/ports/json.ts';

/** Description of a node's work: a short summary, and lines below it. */
export interface NodeDescription {
  readonly summary: string;
  readonly lines?: readonly string[];
  /** True if the node succeeded but one of its steps failed. */
  readonly failed?: boolean;
}

/** Formatting of a description for its medium, such as a terminal with its widths, units and hints. */
export interface DescriptionFormat {
  /** Puts untrusted text on one line, safe to print, cut to a number of columns. @param columns Default: no limit. */
  oneLine(text: string, columns?: number): string;
  /** Pads a text with spaces to a number of columns. */
  pad(text: string, columns: number): string;
  /** Formats a duration with its unit. */
  milliseconds(value: number): string;
  /** Returns advice for an error; `''` if there is none. */
  hintOf(error: ErrorInfo): string;
  /** Describes calls that wait for approval. */
  waitsFor(held: readonly { readonly tool: string }[]): string;
}

/** Describes a node's work from its change of the state. */
export type DescribeNode = (node: string, patch: JsonObject, format: DescriptionFormat) => NodeDescription;
