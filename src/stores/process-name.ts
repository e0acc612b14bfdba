import { hash } from '../util/hash.ts';

// not imported: where there are no processes, there are no such modules, and stores of one's own are used there, too
const builtin = globalThis.process?.getBuiltinModule;
const fs = builtin?.('node:fs');
const os = builtin?.('node:os');

/** What tells a process from every other one, on any machine, now or earlier. What cannot be known is empty. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: string;
  /** In ticks since its machine was started: a process that has the same id later has another time. */
  readonly startedAt: string;
  /** Another one each time that the machine is started. */
  readonly boot: string;
  /** Where its `pid` is one: a container has ids of its own. */
  readonly pidNamespace: string;
  /** Of the machine itself. */
  readonly machine: string;
}

/** The namespace that every Linux has before any container. */
export const firstPidNamespace = '4026531836';

/** This process. */
export const ownProcess: ProcessIdentity = {
  host: known(() => os?.hostname()),
  pid: known(() => String(globalThis.process.pid)),
  startedAt: look('self').startedAt,
  boot: readText('/proc/sys/kernel/random/boot_id'),
  pidNamespace: ownPidNamespace(),
  machine: machineMark(),
};

/** This process as text. */
export const processName: string = toName(ownProcess);

export function toName({ host, pid, startedAt, boot, pidNamespace, machine }: ProcessIdentity): string {
  // a host's name may hold anything
  return [host, pid, startedAt, boot, pidNamespace, machine].map(encodeURIComponent).join(':');
}

/** What a name says; version 2 wrote its first three parts alone. */
export function parseName(name: string): ProcessIdentity {
  const [host = '', pid = '', startedAt = '', boot = '', pidNamespace = '', machine = ''] = name.split(':').map(decode);
  return { host, pid, startedAt, boot, pidNamespace, machine };
}

/** What Linux tells of a process. */
export function look(pid: string): { readonly startedAt: string; readonly isZombie: boolean } {
  // the second field is the program's name in brackets, and may hold spaces; the third is the state, the 22nd the time
  const fields = readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return { startedAt: fields[19] ?? '', isZombie: fields[0] === 'Z' };
}

function ownPidNamespace(): string {
  // a `/proc` that was mounted for another namespace numbers processes in its own way
  const self = known(() => fs?.readlinkSync('/proc/self'));
  if (self === '' || self !== String(process.pid)) return '';
  return known(() => fs?.readlinkSync('/proc/self/ns/pid')).replace(/\D/g, '');
}

/** The machine's id is confidential, so it does not leave the machine. */
function machineMark(): string {
  const id = readText('/etc/machine-id');
  return id === '' ? '' : hash(`agent-machines/${id}`).slice(0, 16);
}

function readText(path: string): string {
  return known(() => fs?.readFileSync(path, 'utf8').trim());
}

/** Nothing on another system or without permission, and of a process that is gone. */
function known(look: () => string | undefined): string {
  try {
    return look() ?? '';
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
