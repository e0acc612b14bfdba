import { firstPidNamespace, ownProcess, type ProcessIdentity, parseName, readProcessStat } from './process-name.ts';

/** `unknown`: cannot be determined from this process. */
export type ProcessState = 'alive' | 'gone' | 'unknown';

/** Returns the state of the named process. `alive` and `gone` are certain. */
export function processState(name: string, here: ProcessIdentity = ownProcess): ProcessState {
  const there = parseName(name);
  if (!/^[1-9]\d*$/.test(there.pid) || there.boot === '' || there.pidNamespace === '' || here.pidNamespace === '') return 'unknown';
  if (there.boot === here.boot) return there.pidNamespace === here.pidNamespace ? stateOf(there) : 'unknown';
  return hasRestarted(there, here) ? 'gone' : 'unknown';
}

/** Checks a process of the same machine and pid namespace. */
function stateOf({ pid, startedAt }: ProcessIdentity): ProcessState {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'gone';
  }
  const found = readProcessStat(pid);
  const isAnother = startedAt !== '' && found.startedAt !== '' && found.startedAt !== startedAt;
  return found.isZombie || isAnother ? 'gone' : 'alive';
}

/**
 * True when both processes belong to one machine that was rebooted between them. In a container, host name and machine id may come from an
 * image, so both must run outside containers.
 */
const hasRestarted = (there: ProcessIdentity, here: ProcessIdentity): boolean =>
  there.host === here.host &&
  there.machine !== '' &&
  there.machine === here.machine &&
  there.pidNamespace === firstPidNamespace &&
  here.pidNamespace === firstPidNamespace;
