import type { Json } from '../ports/json.ts';
import type { Tool } from '../ports/tool.ts';
import { canonicalJson } from './canonical-json.ts';
import { hash } from './hash.ts';

/** Fingerprint of a tool's contract: its effect, and hashes of its arguments, its approval rule and its inner workflow. */
export type ToolFingerprint = readonly [effect: string, args: string, rule: string, ...workflow: string[]];

interface Fingerprints {
  readonly offered: ToolFingerprint;
  readonly shown: string;
}

/** Hashing a schema costs more than a call does, and tools do not change. */
const fingerprintsOfTool = new WeakMap<Tool, Fingerprints>();

/** Equal in every process that runs the same code; it contains no function and no setting of a call. */
export const toolFingerprint = (tool: Tool): ToolFingerprint => fingerprints(tool).offered;

/** Hash of everything that a reviewer sees of a tool, its description included. An approval is valid for this hash. */
export const reviewedTool = (tool: Tool): string => fingerprints(tool).shown;

function fingerprints(tool: Tool): Fingerprints {
  const found = fingerprintsOfTool.get(tool);
  if (found) return found;
  const {
    effect = 'once',
    inputSchema,
    primaryInput = null,
    risk = 'low',
    capabilities = null,
    needsApproval = false,
    targets,
    workflow,
  } = tool;
  const rule = {
    risk,
    capabilities: capabilities && { ...capabilities },
    needsApproval: staticPart(needsApproval),
    targets: targets !== undefined,
  };
  const offered: ToolFingerprint = [
    effect,
    hashOf([inputSchema, primaryInput]),
    hashOf(rule),
    ...(workflow ? [hashOf([workflow.structureHash, workflow.offer ?? null])] : []),
  ];
  const made = { offered, shown: hashOf([tool.description ?? '', ...offered]) };
  fingerprintsOfTool.set(tool, made);
  return made;
}

const staticPart = (value: unknown): Json => (typeof value === 'function' ? 'by arguments' : value === true);

const hashOf = (value: Json): string => hash(canonicalJson(value)).slice(0, 16);
