import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** What Linux tells of a process: when it started (a reused process id has another time), and whether it is dead but not yet buried. */
function look(pid: number): { readonly startedAt: string; readonly zombie: boolean } {
  try {
    // the second field is the program's name in brackets, and may hold spaces; the third is the state, the 22nd the time
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { startedAt: fields[19] ?? '', zombie: fields[0] === 'Z' };
  } catch {
    return { startedAt: '', zombie: false }; // another system: the process id alone must do
  }
}

/** This process, told apart from every other one that shares the machine, now or earlier. */
export const processName: string = `${hostname()}:${process.pid}:${look(process.pid).startedAt}`;

/** False only when a process of this machine is surely gone: of another machine nobody can tell, so its lease runs out by itself. */
export function isAlive(name: string): boolean {
  const [host, pid, started = ''] = name.split(':');
  if (host !== hostname() || name === processName) return true;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
  const { startedAt, zombie } = look(Number(pid));
  return !zombie && (started === '' || startedAt === '' || startedAt === started);
}
