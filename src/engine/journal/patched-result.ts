import type { JsonObject } from '../../core/ports/json.ts';

/** Result of a finished node in which a human has replaced fields. */
export interface PatchedResult {
  /** Key of the node, `state#visit`. */
  readonly key: string;
  readonly outcome: { readonly output: JsonObject };
  /** Names of the replaced fields. */
  readonly fields: readonly string[];
  /** See the event `node-patched`. */
  readonly told: number;
}
