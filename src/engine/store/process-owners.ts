import { processName } from './process-name.ts';
import { processState } from './process-state.ts';
import type { OwnerNames } from './run-rules.ts';

/** Distinguishes owners of this process by runtime, and other owners also by process. */
export const processOwners: OwnerNames = {
  nameOf: (owner) => `${processName}/${owner}`,
  stateOf: (name) => processState(name.slice(0, name.indexOf('/'))),
};
