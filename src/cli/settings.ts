import type { JsonObject } from '../index.ts';
import type { ModelSettings } from './model-flags.ts';

/** Stores for documents to search. */
export const storeTypes = ['memory', 'sqlite', 'faiss', 'chroma', 'opensearch'] as const;

export type StoreType = (typeof storeTypes)[number];

/** Settings of a run, which are also the defaults for resuming it. They contain no keys, which come from the environment. */
export interface Settings extends ModelSettings {
  /** Absolute path of the document folder. Absent: the current folder's README and docs. */
  readonly docs?: string;
  /** Absolute path of the folder that `read_file` may read. */
  readonly root?: string;
  /** Absolute paths of the contracts that questions are about, or of their folders; each may have a name, `NAME=PATH`. */
  readonly contract?: string | readonly string[];
  /** Absolute path of the standard contract for comparisons. */
  readonly standard?: string;
  /** Store in which chat searches documents. */
  readonly store?: StoreType;
  /** URL of a Chroma or OpenSearch server. */
  readonly storeUrl?: string;
  /** Absolute path prefix of a local store's files. */
  readonly storePath?: string;
  /** Absolute path of the database of user memories. */
  readonly memory?: string;
  /** User of the memories. */
  readonly user?: string;
  /** IANA name. Absent: the machine's time zone. */
  readonly timeZone?: string;
  /** Value of `--model`: `NAME`, `NODE=NAME`, or several with commas. */
  readonly model?: string;
  readonly baseUrl?: string;
  /** Instructions for a workflow that talks. */
  readonly instructions?: string;
  /** True when the URL is from a file; the key of the environment is not sent there. */
  readonly keyless?: boolean;
  /** Tokens of a request and its reply. Absent: derived from the model's name. */
  readonly contextTokens?: number;
  /** MCP servers with usable tools: `[NAME=]URL` or `[NAME=]COMMAND`. Not stored with the run: a database must not start programs. */
  readonly mcp?: readonly string[];
  /** `[NAME=]HEADER: VALUE`. Not stored with the run: it may contain a key. */
  readonly mcpHeader?: readonly string[];
  /** `NAME[.TOOL]=WORDS`: capabilities and effect. Not stored with the run, like the servers. */
  readonly mcpDeclare?: readonly string[];
  readonly allowNet?: boolean;
  readonly allowPython?: boolean;
  readonly allowEgress?: boolean;
}

/** Settings to store with the run: without headers, which may contain keys, and without commands that start programs. */
export const toMetadata = ({ headers: _, mcp: _mcp, mcpHeader: _header, mcpDeclare: _declare, ...settings }: Settings): JsonObject => ({
  // Decision 271: a stored command would let a database start any program.
  settings: { ...settings },
});

/** Merges the settings that a run was started with and those of the command line, which win. */
export function withRemembered(metadata: JsonObject | undefined, settings: Settings): Settings {
  const remembered = metadata?.settings;
  const defined = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...(typeof remembered === 'object' && remembered !== null ? (remembered as Settings) : {}), ...defined };
}
