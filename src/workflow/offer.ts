import type { JsonObject } from '../ports/json.ts';
import type { Tool } from '../ports/tool.ts';
import { toolFingerprint } from '../util/tool-fingerprint.ts';

/** What a workflow lets a run use. A run that rests is not resumed with another offer, unless its caller accepts the changes. */
export interface Offer {
  /** The tools of the workflow, those that cannot be used now included. */
  readonly tools?: readonly Tool[];
  /** Names of the tools that the run may call. Default: all of `tools`. */
  readonly granted?: readonly string[] | undefined;
  /** Limits and switches by their names, such as `maxSteps`. The order of a list does not count. */
  readonly limits?: JsonObject;
}

/** An offer as a journal holds it: no function, no secret, and the same in every process of the same code. */
export function toStoredOffer(model: string | undefined, workflows: JsonObject, { tools = [], granted, limits = {} }: Offer): JsonObject {
  const offered = tools.filter(({ name }) => granted?.includes(name) ?? true);
  const named: JsonObject = Object.fromEntries(offered.map((tool) => [tool.name, toolFingerprint(tool)]));
  return {
    ...(model === undefined ? {} : { model: model.split(', ').sort().join(', ') }), // whatever the order of the options
    ...(offered.length === 0 ? {} : { tools: named }),
    ...(Object.keys(limits).length === 0 ? {} : { limits: sorted(limits) }),
    ...(Object.keys(workflows).length === 0 ? {} : { workflows }),
  };
}

const sorted = (limits: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]));
