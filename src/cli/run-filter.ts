import { type Command, Option } from 'commander';
import type { FleetState, RunQuery, RunStatus } from '../index.ts';
import { toAge } from './to-age.ts';

/** Flags that choose runs. */
export interface RunFilterFlags {
  readonly workflow?: string;
  readonly thread?: string;
  readonly status?: RunStatus;
  readonly state?: FleetState;
  readonly code?: string;
  /** Milliseconds. */
  readonly older?: number;
}

// written out, because the engine is loaded on demand
const statuses: readonly RunStatus[] = ['queued', 'running', 'paused', 'waiting', 'in_doubt', 'done', 'failed', 'cancelled'];
const states: readonly FleetState[] = [
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
];

export const withRunFilter = (command: Command): Command =>
  command
    .addOption(new Option('--state <state>', 'who or what moves a run next').choices(states))
    .addOption(new Option('--status <status>').choices(statuses))
    .option('--code <code>', 'error code of failed runs')
    .option('--older <age>', 'runs without a new step for that long: 30d, 12h, 90m or 45s', toAge)
    .option('--workflow <id>', 'runs of one workflow')
    .option('--thread <id>', 'runs of one conversation');

/** Keeps an empty text, which matches no run: a variable that is not set must not widen a filter. */
export const toRunFilter = ({ workflow, thread, status, state, code, older }: RunFilterFlags): RunQuery => ({
  ...(workflow === undefined ? {} : { workflow }),
  ...(thread === undefined ? {} : { threadId: thread }),
  ...(status === undefined ? {} : { status }),
  ...(state === undefined ? {} : { state }),
  ...(code === undefined ? {} : { code }),
  ...(older === undefined ? {} : { updatedBefore: Date.now() - older }),
});
