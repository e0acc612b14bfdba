import { WorkflowError } from './errors.ts';

/** Versions of a store's tables that this package reads. It migrates the oldest to the newest. */
export interface StoreVersions {
  readonly oldest: number;
  readonly version: number;
}

/** Error of a store whose tables are older than the oldest supported version. */
export const storeTooOld = (place: string, found: number, { oldest, version }: StoreVersions): WorkflowError =>
  new WorkflowError({
    code: 'STORE_VERSION',
    message: `The database ${place} has tables of version ${found}. This package reads versions ${oldest} to ${version}.`,
    hint: 'Export its runs with the version of agent-machines that wrote it, and import them into a new database.',
    data: { version: found, oldest, known: version },
  });
