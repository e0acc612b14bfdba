import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The part of LangGraph.js that is used: its own types are there only after it is installed.

export interface LangGraphPeer {
  readonly StateGraph: new (annotation: unknown) => GraphBuilder;
  readonly Annotation: Annotate;
  readonly MemorySaver: new () => MemorySaver;
  readonly START: string;
  readonly END: string;
}

interface Annotate {
  (): unknown;
  <T>(channel: { readonly reducer: (current: T, next: T) => T; readonly default: () => T }): unknown;
  Root(channels: Readonly<Record<string, unknown>>): unknown;
}

interface GraphBuilder {
  addNode<T>(name: string, work: (state: T) => Promise<Partial<T>>): this;
  /** Several: once all of them have ended. */
  addEdge(from: string | readonly string[], to: string): this;
  addConditionalEdges<T>(from: string, next: (state: T) => string, targets: readonly string[]): this;
  compile(options?: { readonly checkpointer?: MemorySaver }): CompiledGraph;
}

export interface CompiledGraph {
  invoke(input: unknown, config?: GraphConfig): Promise<unknown>;
  getState(config: GraphConfig): Promise<{ readonly values: unknown }>;
}

export interface GraphConfig {
  readonly configurable: { readonly thread_id: string };
  /** `async` is LangGraph's default; `exit` writes one checkpoint when the graph ends. */
  readonly durability?: 'async' | 'exit';
}

type Serialised = Uint8Array;

export interface MemorySaver {
  readonly storage: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, readonly [Serialised, Serialised, ...unknown[]]>>>>>
  >;
  readonly writes: Readonly<Record<string, Readonly<Record<string, readonly [task: string, channel: string, value: Serialised]>>>>;
}

const folder = new URL('../langgraph/', import.meta.url);
const peers = ['@langchain/langgraph', '@langchain/langgraph-checkpoint', '@langchain/core'];

export async function loadLangGraph(): Promise<LangGraphPeer> {
  return (await import(new URL('peer.js', folder).href)) as LangGraphPeer;
}

/** Installs LangGraph.js in its own folder, unless the versions of its lock file are there. */
export function installLangGraph(): void {
  const lock = readJson(new URL('package-lock.json', folder)) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const installed = peers.every(
    (name) => versionOf(name) !== undefined && versionOf(name) === lock.packages[`node_modules/${name}`]?.version,
  );
  if (installed) return;
  console.error('Installing LangGraph.js in benchmarks/langgraph …');
  execFileSync('npm', ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(folder),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** Versions of the installed packages by their names. */
export const langGraphVersions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(peers.map((name) => [name, versionOf(name) ?? 'missing']));

function versionOf(name: string): string | undefined {
  const file = new URL(`node_modules/${name}/package.json`, folder);
  return existsSync(file) ? String((readJson(file) as { readonly version?: unknown }).version) : undefined;
}

const readJson = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'));
