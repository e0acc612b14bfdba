import { WorkflowError } from '../errors/errors.ts';
import { messageOf } from '../errors/message-of.ts';

/** An optional package or its import, for bundlers and for copies in other places. */
export type PackageOrLoader<TModule> = TModule | (() => Promise<TModule>);

/**
 * Returns the given package, or imports it.
 *
 * @param load the import itself, so that bundlers and types see its name
 * @throws {WorkflowError} `ADAPTER_MISSING` with the command that installs it.
 */
export async function optionalPackage<TModule>(
  name: string,
  load: () => Promise<TModule>,
  source: PackageOrLoader<TModule> = load,
): Promise<TModule> {
  try {
    return isLoader(source) ? await source() : source;
  } catch (cause) {
    throw new WorkflowError({
      code: 'ADAPTER_MISSING',
      message: `The package "${name}" cannot be loaded: ${messageOf(cause)}`,
      hint: `Run: npm install ${name}`,
      data: { package: name },
      cause,
    });
  }
}

const isLoader = <TModule>(source: PackageOrLoader<TModule>): source is () => Promise<TModule> => typeof source === 'function';
