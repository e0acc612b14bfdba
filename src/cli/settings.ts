import type { JsonObject } from '../index.ts';
import type { ModelSettings } from './model-flags.ts';

/** Where chat-agent can keep the documents that it looks up. */
export const storeTypes = ['memory', 'sqlite', 'faiss', 'chroma', 'opensearch'] as const;

export type StoreType = (typeof storeTypes)[number];

/** What a run is started with, and resumed with when nothing else is said. Keys are not among them: they come from the environment. */
export interface Settings extends ModelSettings {
  /** Folder of documents, absolute; absent: the current folder's README and docs. */
  readonly docs?: string;
  /** Folder that `read_file` may read, absolute. */
  readonly root?: string;
  /** The contract that questions are about, absolute. */
  readonly contract?: string;
  /** The standard contract that it is compared with, absolute. */
  readonly standard?: string;
  /** Where chat looks documents up. */
  readonly store?: StoreType;
  /** Of a Chroma or OpenSearch server. */
  readonly storeUrl?: string;
  /** Beginning of the names of a local store's files, absolute. */
  readonly storePath?: string;
  /** Database of what is known of users, absolute. */
  readonly memory?: string;
  /** Whose memories are read and written. */
  readonly user?: string;
  /** IANA name; absent: the workflows' own default. */
  readonly timeZone?: string;
  /** As `--model` takes it: `NAME`, `NODE=NAME`, or several with commas. */
  readonly model?: string;
  readonly baseUrl?: string;
  /** What tool-agent and chat-agent are told to be and to do. */
  readonly instructions?: string;
  /** The address is from a file: the key of the environment is not sent there. */
  readonly keyless?: boolean;
  /** Tokens of a request and its reply; absent: by the model's name. */
  readonly contextTokens?: number;
  /** MCP servers whose tools may be used: `[NAME=]URL` or `[NAME=]COMMAND`. Not remembered: a database must not start programs. */
  readonly mcp?: readonly string[];
  /** `[NAME=]HEADER: VALUE`. Not remembered: it may hold a key. */
  readonly mcpHeader?: readonly string[];
  /** `NAME[.TOOL]=WORDS`: capabilities and effect. Not remembered, as the servers are not. */
  readonly mcpDeclare?: readonly string[];
  readonly allowNet?: boolean;
  readonly allowPython?: boolean;
  readonly allowEgress?: boolean;
}

/** Settings as the run remembers them: without headers, which may hold keys, and without what starts programs. */
export const toMetadata = ({ headers: _, mcp: _mcp, mcpHeader: _header, mcpDeclare: _declare, ...settings }: Settings): JsonObject => ({
  settings: { ...settings },
});

/** The time zone as an option, of a workflow or a tool. */
export const zoneOf = ({ timeZone }: Settings): { timeZone?: string } => (timeZone === undefined ? {} : { timeZone });

/** The settings that a run was started with, and on top of them those of the command line. */
export function withRemembered(metadata: JsonObject | undefined, settings: Settings): Settings {
  const remembered = metadata?.settings;
  const defined = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...(typeof remembered === 'object' && remembered !== null ? (remembered as Settings) : {}), ...defined };
}
