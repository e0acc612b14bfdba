import type { Json } from '../ports/json.ts';
import type { Tool } from '../ports/tool.ts';
import { canonicalJson } from './canonical-json.ts';
import { hash } from './hash.ts';

/** What decides how a tool may be called: its effect, and hashes of its arguments, of its approval rule and of the workflow that it is. */
export type ToolFingerprint = readonly [effect: string, args: string, rule: string, ...workflow: string[]];

interface Fingerprints {
  readonly offered: ToolFingerprint;
  readonly shown: string;
}

/** Hashing a schema costs more than a call does, and tools do not change. */
const known = new WeakMap<Tool, Fingerprints>();

/** The same in every process that has made the tool by the same code: it holds no function and no setting of the call itself. */
export const toolFingerprint = (tool: Tool): ToolFingerprint => fingerprints(tool).offered;

/** Hash of all that a reviewer is shown of a tool, its description included. An approval is for this. */
export const reviewedTool = (tool: Tool): string => fingerprints(tool).shown;

function fingerprints(tool: Tool): Fingerprints {
  const found = known.get(tool);
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
  known.set(tool, made);
  return made;
}

const staticPart = (value: unknown): Json => (typeof value === 'function' ? 'by arguments' : value === true);

const hashOf = (value: Json): string => hash(canonicalJson(value)).slice(0, 16);
