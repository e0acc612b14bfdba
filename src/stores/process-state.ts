import { firstPidNamespace, look, ownProcess, type ProcessIdentity, parseName } from './process-name.ts';

/** `unknown`: nobody here can tell. */
export type ProcessState = 'alive' | 'gone' | 'unknown';

/** What has become of the process of that name. Only what is sure is said. */
export function processState(name: string, here: ProcessIdentity = ownProcess): ProcessState {
  const there = parseName(name);
  if (!/^[1-9]\d*$/.test(there.pid) || there.boot === '' || there.pidNamespace === '' || here.pidNamespace === '') return 'unknown';
  if (there.boot === here.boot) return there.pidNamespace === here.pidNamespace ? stateOf(there) : 'unknown';
  return hasRestarted(there, here) ? 'gone' : 'unknown';
}

/** Looks at a process of this machine and namespace. */
function stateOf({ pid, startedAt }: ProcessIdentity): ProcessState {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'gone';
  }
  const found = look(pid);
  const isAnother = startedAt !== '' && found.startedAt !== '' && found.startedAt !== startedAt;
  return found.isZombie || isAnother ? 'gone' : 'alive';
}

/** True when both are of one machine, which was started anew between them. In a container, host name and machine id may be an image's. */
const hasRestarted = (there: ProcessIdentity, here: ProcessIdentity): boolean =>
  there.host === here.host &&
  there.machine !== '' &&
  there.machine === here.machine &&
  there.pidNamespace === firstPidNamespace &&
  here.pidNamespace === firstPidNamespace;
