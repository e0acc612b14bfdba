import { toErrorInfo } from '../../core/errors/errors.ts';
import { hasCode } from '../../core/util/has-code.ts';
import type { Run, RunResult } from '../../engine/drive/run.ts';
import { createRuntime } from '../../engine/run/create-runtime.ts';
import type { Runtime, RuntimeOptions, SendOptions } from '../../engine/run/runtime.ts';
import { runRules } from '../../engine/store/run-rules.ts';
import type { DrivenRuns } from './driven-runs.ts';
import type { CommandOutcome, LiveCommand, RestResult, RunCommand } from './run-command.ts';
import type { RunTape } from './run-tape.ts';

/** Options of the runtime of an invocation. */
export type DriveOptions = Omit<RuntimeOptions, 'store' | 'leaseMs'>;

/** Restate serializes the drives of a run, so the lease need not be renewed. In milliseconds. */
const leaseMs = 2_000_000_000;

/** Drive of a run by one invocation. */
export interface Drive {
  readonly outcome: Promise<CommandOutcome>;
  /** Applies a queued command to the current drive at once. Its errors are reported in its own turn. */
  hear(command: LiveCommand): void;
  /** Stops, and leaves the run to another attempt. */
  leave(): void;
}

/** Options of `carryOut`. */
export interface CarryOutOptions extends DriveOptions {
  readonly driven: DrivenRuns;
}

/** Carries out a command on the run of a tape, until the run is suspended or ends. */
export function carryOut(
  tape: RunTape,
  runId: string,
  command: RunCommand,
  wasBegun: boolean,
  { driven: others, ...options }: CarryOutOptions,
): Drive {
  let own = '';
  const store = runRules(tape.storage, {
    nameOf: (owner) => {
      own = owner;
      return owner;
    },
    // Restate has ended all earlier attempts
    stateOf: (owner) => (owner === own ? 'alive' : 'gone'),
  });
  const runtime = createRuntime({ ...options, store, leaseMs });
  const left = new AbortController();
  const driven = others.add(runId, tape, left.signal).then(() => begin(runtime, tape, runId, command, wasBegun));
  const rest = async (): Promise<CommandOutcome> => {
    try {
      const run = await driven;
      const queued = tape.queued.then((): RestResult => ({ status: 'queued' }));
      const result = run ? await Promise.race([queued, run.result as Promise<RestResult>]) : queued;
      return { result: await result };
    } catch (cause) {
      return { refused: toErrorInfo(cause) };
    } finally {
      others.remove(runId, tape);
      void runtime.close(); // a timer must not resume the run outside of an invocation
    }
  };
  return {
    outcome: rest(),
    hear(heard) {
      const work = async (): Promise<unknown> => {
        await driven;
        if (heard.type === 'cancel') return runtime.cancel(runId);
        return runtime.send(runId, heard.event, answerOptions(heard));
      };
      work().catch(() => {}); // the command reports its errors in its own turn
    },
    leave() {
      left.abort();
      runtime.close().catch(() => {});
    },
  };
}

/** Returns the run of the command; `undefined` for a run that waits for its thread. */
async function begin(
  runtime: Runtime,
  tape: RunTape,
  runId: string,
  command: RunCommand,
  wasBegun: boolean,
): Promise<Run<unknown> | undefined> {
  switch (command.type) {
    case 'start': {
      const { workflow, input, options } = command;
      return runtime.start(workflow, input, { ...options, runId });
    }
    case 'fork':
      return runtime.fork(command.of, { ...command.options, runId });
    case 'send':
      return runtime.send(runId, command.event, answerOptions(command));
    case 'resolve':
      return runtime.resolve(runId, command.callId, command.resolution).catch((cause: unknown) => {
        if (!wasBegun || !hasCode(cause, 'CALL_UNKNOWN')) throw cause;
        return runtime.resume(runId); // an earlier attempt has already written the resolution
      });
    case 'cancel':
      await runtime.cancel(runId).catch((cause: unknown) => {
        if (tape.run?.record.status !== 'cancelled') throw cause;
      });
      return ended(runId, { status: 'cancelled' });
    case 'resume':
      return runtime.resume(runId, command.options);
    case 'wake':
    case 'next':
      return runtime.resume(runId);
  }
}

const answerOptions = ({ interruptId, acceptChanges }: Extract<RunCommand, { readonly type: 'send' }>): SendOptions => ({
  interruptId,
  ...(acceptChanges === undefined ? {} : { acceptChanges }),
});

const ended = (id: string, result: RunResult<unknown>): Run<unknown> => ({
  id,
  result: Promise.resolve(result),
  events: async function* () {},
});
