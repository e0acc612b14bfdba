import { WorkflowError } from '../../errors.ts';

/**
 * Imports a package that is not a dependency.
 *
 * @param load the import itself, so that bundlers and types see its name
 * @throws {WorkflowError} `ADAPTER_MISSING` with the command that installs it.
 */
export async function optionalPackage<TModule>(name: string, load: () => Promise<TModule>): Promise<TModule> {
  try {
    return await load();
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
