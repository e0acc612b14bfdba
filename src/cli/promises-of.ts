import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exploration, Invariant } from 'agent-machines/testing';
import { messageOf } from '../core/errors/message-of.ts';
import { hasCode } from '../core/util/has-code.ts';
import { isObject } from '../core/util/is-object.ts';
import type { AnyWorkflow } from '../index.ts';
import { UsageError } from './usage-error.ts';
import { isFile, machineOfFile } from './workflow-of-file.ts';
import { draftOf, workflowNamed } from './workflows.ts';

/** A workflow with its promises, and the options for checking them. */
export interface Promises {
  readonly workflow: AnyWorkflow;
  readonly invariants: readonly Invariant[];
  readonly exploreOptions: object;
  /** The copy of the package that created the workflow: another copy does not recognize its guards and nodes. */
  readonly kit: Kit;
  /** File of the user's module. */
  readonly file?: string;
}

type Kit = Pick<typeof import('agent-machines'), 'lintWorkflow'> &
  Pick<typeof import('agent-machines/testing'), 'exploreMachine' | 'mutateMachine' | 'toPromiseReport'>;

/**
 * Loads a workflow of this package, or one of a user's module with the module's `invariants` and `exploreOptions`. If the module exports
 * several workflows, each of these may be an object keyed by the workflows' export names.
 *
 * @throws {UsageError} when there is nothing to verify.
 */
export async function promisesOf(word: string): Promise<Promises> {
  if (!isFile(word)) {
    const named = workflowNamed(word);
    const { promises } = await named.load();
    const kit = { ...(await import('agent-machines')), ...(await import('agent-machines/testing')) };
    return { workflow: await draftOf(named), ...(promises ? await promises() : { invariants: [], exploreOptions: {} }), kit };
  }
  const { name, workflow } = await machineOfFile(word);
  if (!workflow) throw new UsageError(`${word} is a machine without nodes. Export the result of defineWorkflow.`);
  const [file = word] = word.split('#');
  const module = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  const invariants = memberOf(module.invariants, name) ?? [];
  if (!isInvariants(invariants))
    throw new UsageError(`"invariants" of ${file} is not a list of promises. Use always(…), never(…) and others.`);
  const exploreOptions = memberOf(module.exploreOptions, name) ?? {};
  if (!isObject(exploreOptions)) throw new UsageError(`"exploreOptions" of ${file} is not an options object of exploreMachine.`);
  return { workflow, invariants, exploreOptions, kit: await loadKit(resolve(file)), file };
}

/** Explores a workflow. @throws {UsageError} if a file has no `exploreOptions`, or wrong ones. */
export function explore({ workflow, exploreOptions, kit, file }: Promises): Exploration {
  try {
    return kit.exploreMachine(workflow, exploreOptions);
  } catch (cause) {
    if (file === undefined || !hasCode(cause, 'OPTION_INVALID')) throw cause;
    const advice = `Export the options from ${file}, such as: export const exploreOptions = { inputs: [{ … }] }`;
    throw new UsageError(`${messageOf(cause)} ${advice}`, { cause });
  }
}

/** URL of the package's main module, as resolved from a file. */
export const mainUrl = (file: string): string => pathToFileURL(createRequire(pathToFileURL(file)).resolve('agent-machines')).href;

/** The package as resolved from a file. */
async function loadKit(file: string): Promise<Kit> {
  const { resolve: find } = createRequire(pathToFileURL(file));
  const load = async <T>(name: string): Promise<T> => (await import(pathToFileURL(find(name)).href)) as T;
  return {
    ...(await load<typeof import('agent-machines')>('agent-machines')),
    ...(await load<typeof import('agent-machines/testing')>('agent-machines/testing')),
  };
}

/** Part of an export that belongs to one workflow. */
const memberOf = (exported: unknown, name: string): unknown =>
  isObject(exported) && Object.hasOwn(exported, name) ? exported[name] : exported;

const isInvariants = (value: unknown): value is readonly Invariant[] =>
  Array.isArray(value) && value.every((each) => isObject(each) && typeof each.name === 'string' && typeof each.check === 'function');
