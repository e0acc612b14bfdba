import { readdirSync, readFileSync } from 'node:fs';

interface ProcessTimes {
  readonly id: number;
  readonly parent: number;
  readonly name: string;
  /** With those of its children that have ended, in milliseconds. */
  readonly cpuMs: number;
}

/** Linux tells times in hundredths of a second. */
const msPerTick = 10;

/** What the processes of this name that this one has started have computed so far, in milliseconds; `undefined` where there is no `/proc`. */
export function cpuOfStarted(name: string): number | undefined {
  const all = processes();
  if (all.length === 0) return undefined;
  const byId = new Map(all.map((one) => [one.id, one]));
  const isOurs = ({ parent }: ProcessTimes): boolean => {
    const above = byId.get(parent);
    return parent === process.pid || (above !== undefined && isOurs(above));
  };
  return all.filter((one) => one.name === name && isOurs(one)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** What a process has computed so far, in milliseconds; `undefined` where there is no `/proc`. */
export const cpuOf = (id: number | undefined): number | undefined => (id === undefined ? undefined : timesOf(id)?.cpuMs);

function processes(): readonly ProcessTimes[] {
  try {
    return readdirSync('/proc').flatMap((id) => (/^\d+$/.test(id) ? (timesOf(Number(id)) ?? []) : []));
  } catch {
    return [];
  }
}

function timesOf(id: number): ProcessTimes | undefined {
  try {
    // a name may have spaces; what comes behind it has none
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ').map(Number);
    const [parent = 0] = fields.slice(1);
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return { id, parent, name, cpuMs: ticks * msPerTick };
  } catch {
    return undefined; // it has ended
  }
}
