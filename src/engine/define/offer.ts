import type { JsonObject } from '../../core/ports/json.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { toolFingerprint } from '../../core/util/tool-fingerprint.ts';

/** Resources that a workflow lets a run use. A resting run resumes with another offer only if its caller accepts the changes. */
export interface Offer {
  /** The workflow's tools, unavailable ones included. */
  readonly tools?: readonly Tool[];
  /** Names of the tools that the run may call. Default: all of `tools`. */
  readonly granted?: readonly string[] | undefined;
  /** Limits and switches by name, such as `maxSteps`. The order of a list does not count. */
  readonly limits?: JsonObject;
}

/** Converts an offer to its journal form: without functions or secrets, and equal in every process of the same code. */
export function toStoredOffer(model: string | undefined, workflows: JsonObject, { tools = [], granted, limits = {} }: Offer): JsonObject {
  const offered = tools.filter(({ name }) => granted?.includes(name) ?? true);
  const named: JsonObject = Object.fromEntries(offered.map((tool) => [tool.name, toolFingerprint(tool)]));
  return {
    ...(model === undefined ? {} : { model: model.split(', ').sort().join(', ') }), // independent of the order of the options
    ...(offered.length === 0 ? {} : { tools: named }),
    ...(Object.keys(limits).length === 0 ? {} : { limits: sorted(limits) }),
    ...(Object.keys(workflows).length === 0 ? {} : { workflows }),
  };
}

const sorted = (limits: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]));
