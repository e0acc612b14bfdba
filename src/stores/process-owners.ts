import { processName } from './process-name.ts';
import { processState } from './process-state.ts';
import type { OwnerNames } from './run-rules.ts';

/** Owners are told apart by their runtime, and those of other processes by their process, too. */
export const processOwners: OwnerNames = {
  nameOf: (owner) => `${processName}/${owner}`,
  stateOf: (name) => processState(name.slice(0, name.indexOf('/'))),
};
