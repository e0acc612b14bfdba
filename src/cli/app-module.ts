import { existsSync, type FSWatcher, watch } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isObject } from '../core/util/is-object.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { untilAborted } from '../core/util/until-aborted.ts';
import { withTimeout } from '../core/util/with-timeout.ts';
import type { Clock } from '../index.ts';
import type { AgentApp } from '../server/agent-app.ts';
import { UsageError } from './usage-error.ts';
import { cannotLoad, checkCopy, importDefault } from './user-module.ts';

/** A user's module that can be reloaded. */
export interface AppModule {
  /**
   * Loads the current version of the module.
   * @param left Aborts the wait for a load that does not finish.
   * @throws {UsageError} when the module cannot be loaded, exceeds the time limit or serves nothing; the reason of `left`.
   */
  load(left?: AbortSignal): Promise<AgentApp>;
  /** Watches the folders of the module's own files, but not packages. Returns a function that stops watching. */
  watch(changed: () => void): () => void;
}

/** URL parameter that makes each load a new module. */
const parameter = 'agent-machines-load';
/** Delay after a file change, in milliseconds: editors write a file in several steps. */
const settledMs = 100;
/** Time limit for loading a module, in milliseconds; a top-level await may never settle. */
const longestLoadMs = 60_000;
const codeTypes = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']);

/** @throws {UsageError} when the file does not exist. */
export function appModule(file: string, longestMs: number = longestLoadMs, clock: Pick<Clock, 'schedule'> = systemClock): AppModule {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${file}.`);
  checkCopy(file, path, 'serve');
  const folders = new Set([dirname(path)]);
  let loads = 0;
  hookReloads((own) => folders.add(dirname(own)));
  return {
    async load(left) {
      const address = pathToFileURL(path);
      address.searchParams.set(parameter, String(++loads));
      const made = async (): Promise<AgentApp> => toApp(file, await loadDefaultExport(file, address.href));
      const late = async (): Promise<never> => {
        throw new UsageError(
          `${file} did not load within ${longestMs / 1000} seconds. Its default export, or an await at its top, never settles.`,
        );
      };
      return withTimeout(() => untilAborted(made(), left), longestMs, clock, late);
    },
    watch(changed) {
      const watchers = new Map<string, FSWatcher>();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = (): void => {
        for (const folder of folders) {
          if (!watchers.has(folder)) watchers.set(folder, watch(folder, noticed));
        }
      };
      const noticed = (_: string, name: string | null): void => {
        if (name !== null && !codeTypes.has(extname(name))) return;
        clearTimeout(timer);
        timer = setTimeout(() => {
          changed();
          look(); // the new version may use more folders
        }, settledMs);
      };
      look();
      return () => {
        clearTimeout(timer);
        for (const watcher of watchers.values()) watcher.close();
      };
    },
  };
}

/** Returns the default export of a module, or the result of calling it. @throws {UsageError} */
async function loadDefaultExport(file: string, address: string): Promise<unknown> {
  const value = await importDefault(file, address);
  if (typeof value !== 'function') return value;
  try {
    return await value();
  } catch (cause) {
    throw cannotLoad(file, cause);
  }
}

/** Reloads the files that a module imports by path; packages are not reloaded. */
function hookReloads(found: (path: string) => void): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const load = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get(parameter);
      const isOwn = load !== null && /^(?:\.{0,2}\/|file:|#)/.test(specifier) && resolved.url.startsWith('file:');
      if (!isOwn) return resolved;
      const url = new URL(resolved.url);
      found(fileURLToPath(url));
      url.searchParams.set(parameter, load);
      return { ...resolved, url: url.href };
    },
  });
}

function toApp(file: string, value: unknown): AgentApp {
  const app: { readonly workflows?: unknown } = isObject(value) ? value : {};
  const { workflows } = app;
  if (Array.isArray(workflows) && workflows.length > 0 && workflows.every(isServed)) return { ...app, workflows };
  throw new UsageError(
    `The default export of ${file} has no workflows. Export { workflows }, with results of defineWorkflow, or a function that returns it.`,
  );
}

/** Checks the shape, because a user's module may have its own copy of the package. */
const isServed = (value: unknown): value is AgentApp['workflows'][number] =>
  isObject(value) && (typeof value.structureHash === 'string' || (typeof value.id === 'string' && isServed(value.workflow)));
