import { maxCrashes, type RunRecord } from './run-store.ts';

/** States of a fleet, in the order of a run's life. Every run has exactly one. */
export const fleetStates = [
  'queued',
  'running',
  'parked',
  'waiting',
  'sleeping',
  'in_doubt',
  'paused',
  'done',
  'failed',
  'cancelled',
] as const;

/**
 * State of a run for its operator. It says more than the status: who or what moves the run next.
 *
 * - `queued`: waits for its thread, or for a worker · `running`: owned, or abandoned by a process that died
 * - `parked`: crashed its process 3 times; workers skip it until it is released
 * - `waiting`: for a human's event · `sleeping`: for a timer alone · `in_doubt`: for a human's decision on a `once` call
 * - `paused`: suspended until a caller resumes it · `done`, `failed`, `cancelled`: ended; a `failed` run has a code
 */
export type FleetState = (typeof fleetStates)[number];

type StateFields = Pick<RunRecord, 'status' | 'crashes' | 'failure' | 'wakeAt' | 'sleeps'>;

/** True for a run that workers skip, because it has crashed its process too often. */
export const isParked = ({ status, crashes }: Pick<RunRecord, 'status' | 'crashes'>): boolean =>
  status === 'running' && crashes >= maxCrashes;

/** Returns the state of a stored run. `fleetStateSql` says the same to a database. */
export function fleetStateOf(record: StateFields): FleetState {
  const { status, failure, wakeAt, sleeps } = record;
  if (isParked(record)) return 'parked';
  if (status === 'paused' && wakeAt !== undefined) return 'queued'; // handed over, or started with `drive: false`
  if (status === 'waiting' && sleeps) return 'sleeping';
  return status === 'done' && failure !== undefined ? 'failed' : status;
}
