import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hash } from '../util/hash.ts';

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
  host: hostname(),
  pid: String(process.pid),
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
  try {
    // a `/proc` that was mounted for another namespace numbers processes in its own way
    if (readlinkSync('/proc/self') !== String(process.pid)) return '';
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return ''; // another system
  }
}

/** The machine's id is confidential, so it does not leave the machine. */
function machineMark(): string {
  const id = readText('/etc/machine-id');
  return id === '' ? '' : hash(`agent-machines/${id}`).slice(0, 16);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return ''; // another system, or a process that is gone
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
