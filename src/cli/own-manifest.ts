import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package.json of the running package. */
export interface OwnManifest {
  /** Folder of the package. */
  readonly folder: string;
  readonly version: string;
  /** Address of the repository, `''` while there is none. */
  readonly repository: string;
}

export function readOwnManifest(): OwnManifest {
  const path = fileURLToPath(import.meta.resolve('agent-machines/package.json'));
  const { version, config } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly version: string;
    readonly config: { readonly repository: string };
  };
  return { folder: dirname(path), version, repository: config.repository };
}
