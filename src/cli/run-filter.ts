import { type Command, InvalidArgumentError, Option } from 'commander';
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
    .addOption(once(new Option('--state <state>', 'who or what moves a run next').choices(states)))
    .addOption(once(new Option('--status <status>').choices(statuses)))
    .addOption(once(new Option('--code <code>', 'error code of failed runs')))
    .addOption(once(new Option('--older <age>', 'runs without a new step for that long: 30d, 12h, 90m or 45s').argParser(toAge)))
    .addOption(once(new Option('--workflow <id>', 'runs of one workflow')))
    .addOption(once(new Option('--thread <id>', 'runs of one conversation')));

/** Refuses a second value, because commander would keep the last one without a sign. */
function once(option: Option): Option {
  const { parseArg } = option;
  return option.argParser((value, before) => {
    if (before !== undefined) throw new InvalidArgumentError('It may be given once only.');
    return parseArg ? parseArg(value, before) : value;
  });
}

/** Keeps an empty text, which matches no run: a variable that is not set must not widen a filter. */
export const toRunFilter = ({ workflow, thread, status, state, code, older }: RunFilterFlags): RunQuery => ({
  ...(workflow === undefined ? {} : { workflow }),
  ...(thread === undefined ? {} : { threadId: thread }),
  ...(status === undefined ? {} : { status }),
  ...(state === undefined ? {} : { state }),
  ...(code === undefined ? {} : { code }),
  ...(older === undefined ? {} : { updatedBefore: Date.now() - older }),
});
