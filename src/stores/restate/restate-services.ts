import type { DriveOptions } from './carry-out.ts';
import { DrivenRuns } from './driven-runs.ts';
import type { RestateSdk, UsedSdk } from './restate-sdk.ts';
import { runObject } from './run-object.ts';
import { threadObject } from './thread-object.ts';

export interface RestateServicesOptions<TService> extends DriveOptions {
  /** The package `@restatedev/restate-sdk`, from the entry point that the runtime needs. */
  readonly sdk: RestateSdk<TService>;
  /** Prefix of the objects' names, followed by `Run` and `Thread`. @default 'Agent' */
  readonly name?: string;
}

/** Suspended runs and model calls may take any time, and attempts are unlimited. */
const options = {
  inactivityTimeout: { days: 1 },
  abortTimeout: { days: 1 },
  journalRetention: 0,
  idempotencyRetention: { days: 1 },
  retryPolicy: { initialInterval: 100, maxInterval: 5_000, maxAttempts: 1_000_000 },
};

export const objectNames = (name = 'Agent'): { readonly run: string; readonly thread: string } => ({
  run: `${name}Run`,
  thread: `${name}Thread`,
});

/**
 * Creates the virtual objects that run workflows in Restate. Restate stores the journals, so no other store is needed.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, when the first run is driven.
 * @example
 * import * as restate from '@restatedev/restate-sdk';
 * await restate.serve({ services: restateServices({ sdk: restate, workflows: [planExecute()] }), port: 9080 });
 */
export function restateServices<TService>({ sdk, name, ...drive }: RestateServicesOptions<TService>): TService[] {
  const names = objectNames(name);
  const used = sdk as unknown as UsedSdk<TService>; // the SDK's generic parameters cannot be written without importing them
  return [runObject(used, names, options, { ...drive, driven: new DrivenRuns(drive.clock) }), threadObject(used, names, options)];
}
