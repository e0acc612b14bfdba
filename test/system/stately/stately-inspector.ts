import { installedFile, installFolder } from '../install-folder.ts';

/** What `@statelyai/inspect` sends, as far as the tests look at it. */
export interface StatelyMessage {
  readonly type: string;
  readonly sessionId: string;
  readonly rootId?: string;
  readonly parentId?: string;
  readonly sourceId?: string;
  readonly name?: string;
  readonly definition?: string;
  readonly event?: { readonly type: string };
  readonly snapshot?: { readonly status?: string; readonly value?: unknown };
}

interface StatelyInspector {
  /** What `createActor(machine, { inspect })` takes. */
  readonly inspect: { next(event: unknown): void };
  stop(): void;
}

/** The package, as far as the tests use it. */
export interface StatelyPackage {
  createInspector(adapter: { send(message: StatelyMessage): void }): StatelyInspector;
  createWebSocketInspector(options: { readonly url: string }): StatelyInspector;
  createBrowserInspector(options: { readonly window: unknown; readonly url: string }): StatelyInspector;
}

/** Installs the package and imports it. */
export function importStately(): Promise<StatelyPackage> {
  installFolder('stately');
  return import(installedFile('stately', '@statelyai/inspect/dist/index.mjs').href);
}
