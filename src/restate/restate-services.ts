import type { DriveOptions } from './carry-out.ts';
import { DrivenRuns } from './driven-runs.ts';
import type { RestateSdk, UsedSdk } from './restate-sdk.ts';
import { runObject } from './run-object.ts';
import { threadObject } from './thread-object.ts';

export interface RestateServicesOptions<TService> extends DriveOptions {
  /** The package `@restatedev/restate-sdk`, by the entry point that the runtime needs. */
  readonly sdk: RestateSdk<TService>;
  /** The objects are called this and `Run`, and this and `Thread`. @default 'Agent' */
  readonly name?: string;
}

/** Runs rest for as long as they like, model calls take long, and an attempt is never the last one. */
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
 * Makes the virtual objects that run workflows in Restate: it keeps the journals, and there is no store of ours.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, when the first run is driven.
 * @example
 * import * as restate from '@restatedev/restate-sdk';
 * await restate.serve({ services: restateServices({ sdk: restate, workflows: [planExecute()] }), port: 9080 });
 */
export function restateServices<TService>({ sdk, name, ...drive }: RestateServicesOptions<TService>): TService[] {
  const names = objectNames(name);
  const used = sdk as unknown as UsedSdk<TService>; // what its generics accept cannot be written without importing them
  return [runObject(used, names, options, { ...drive, driven: new DrivenRuns(drive.clock) }), threadObject(used, names, options)];
}
