import { hash } from '../../core/util/hash.ts';

// not imported: these modules are missing outside Node-like runtimes, where custom stores run, too
const builtin = globalThis.process?.getBuiltinModule;
const fs = builtin?.('node:fs');
const os = builtin?.('node:os');

/** Identifies a process uniquely across machines and time. Unknown fields are empty. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: string;
  /** Start time in ticks since boot. Distinguishes processes that reuse a pid. */
  readonly startedAt: string;
  /** Changes with every boot of the machine. */
  readonly boot: string;
  /** Namespace of the `pid`. A container has its own. */
  readonly pidNamespace: string;
  /** Hash of the machine's id. */
  readonly machine: string;
}

/** Initial pid namespace of every Linux system, outside containers. */
export const firstPidNamespace = '4026531836';

/** Identity of this process. */
export const ownProcess: ProcessIdentity = {
  host: orEmpty(() => os?.hostname()),
  pid: orEmpty(() => String(globalThis.process.pid)),
  startedAt: readProcessStat('self').startedAt,
  boot: readText('/proc/sys/kernel/random/boot_id'),
  pidNamespace: ownPidNamespace(),
  machine: machineHash(),
};

/** Identity of this process as text. */
export const processName: string = toName(ownProcess);

export function toName({ host, pid, startedAt, boot, pidNamespace, machine }: ProcessIdentity): string {
  // a host name may contain any character
  return [host, pid, startedAt, boot, pidNamespace, machine].map(encodeURIComponent).join(':');
}

/** Parses a process name. Parts that are missing become empty. */
export function parseName(name: string): ProcessIdentity {
  const [host = '', pid = '', startedAt = '', boot = '', pidNamespace = '', machine = ''] = name.split(':').map(decode);
  return { host, pid, startedAt, boot, pidNamespace, machine };
}

/** Reads the state of a process from Linux. */
export function readProcessStat(pid: string): { readonly startedAt: string; readonly isZombie: boolean } {
  // the program name in brackets may contain spaces; after it, the state is field 3 and the start time field 22
  const fields = readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return { startedAt: fields[19] ?? '', isZombie: fields[0] === 'Z' };
}

function ownPidNamespace(): string {
  // a `/proc` mounted for another pid namespace shows other numbers
  const self = orEmpty(() => fs?.readlinkSync('/proc/self'));
  if (self === '' || self !== String(process.pid)) return '';
  return orEmpty(() => fs?.readlinkSync('/proc/self/ns/pid')).replace(/\D/g, '');
}

/** The machine's id is confidential, so only its hash leaves the machine. */
function machineHash(): string {
  const id = readText('/etc/machine-id');
  return id === '' ? '' : hash(`agent-machines/${id}`).slice(0, 16);
}

function readText(path: string): string {
  return orEmpty(() => fs?.readFileSync(path, 'utf8').trim());
}

/** Returns an empty text on other systems, without permission, and for a process that is gone. */
function orEmpty(read: () => string | undefined): string {
  try {
    return read() ?? '';
  } catch {
    return '';
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
