import { WorkflowError } from '../errors.ts';

/** A package that is not a dependency, or what imports it: for a bundler, or for a copy that is elsewhere. */
export type HandedIn<TModule> = TModule | (() => Promise<TModule>);

/**
 * A package that was handed in, or else is imported.
 *
 * @param load the import itself, so that bundlers and types see its name
 * @throws {WorkflowError} `ADAPTER_MISSING` with the command that installs it.
 */
export async function optionalPackage<TModule>(
  name: string,
  load: () => Promise<TModule>,
  handedIn: HandedIn<TModule> = load,
): Promise<TModule> {
  try {
    return isLoader(handedIn) ? await handedIn() : handedIn;
  } catch (cause) {
    throw new WorkflowError({
      code: 'ADAPTER_MISSING',
      message: `The package "${name}" cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: `Run: npm install ${name}`,
      data: { package: name },
      cause,
    });
  }
}

const isLoader = <TModule>(handedIn: HandedIn<TModule>): handedIn is () => Promise<TModule> => typeof handedIn === 'function';
