import type { EventObject, MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { patchOf } from '../../engine/define/node.ts';
import type { Command, Move, Position, Stepper } from '../../engine/drive/stepper.ts';
import { toMachineEvent } from '../../engine/drive/to-machine-event.ts';
import type { NodeOutcome, TapeAct } from './tape.ts';

type Start = Extract<Command, { readonly type: 'start' }>;

interface Timer {
  readonly id: string;
  readonly name: string;
  readonly event: EventObject;
  /** Milliseconds since the start of the run. */
  readonly due: number;
}

/** Position of a run on the machine alone: running nodes, timers and waits. */
export interface WalkPosition {
  readonly position: Position;
  /** Result of the last act. */
  readonly move: Move;
  readonly working: readonly Start[];
  readonly timers: readonly Timer[];
  /** Milliseconds since the start of the run. */
  readonly now: number;
}

/** A workflow's machine as pure functions, without a journal, store or promises. Runs are compared with it. */
export interface Walk {
  begin(input: unknown): WalkPosition;
  /** @returns `undefined` if the act is not possible here. */
  act(at: WalkPosition, act: TapeAct): WalkPosition | undefined;
  /** Returns the next timer; `undefined` if two are due at the same time, because their order is not defined. */
  nextTimer(at: WalkPosition): Timer | undefined;
}

export function walkOf(workflow: AnyWorkflow, stepper: Stepper): Walk {
  const arrive = (before: Omit<WalkPosition, 'position' | 'move'>, move: Move): WalkPosition => {
    let { working, timers } = before;
    for (const command of move.commands) {
      if (command.type === 'start') working = [...working, command];
      else if (command.type === 'delay') timers = [...timers, { ...command, due: before.now + command.delayMs }];
      else {
        working = working.filter(({ id }) => id !== command.id);
        timers = timers.filter(({ id }) => id !== command.id);
      }
    }
    return { position: move.position, move, working, timers, now: before.now };
  };
  const nextTimer = ({ timers }: WalkPosition): Timer | undefined => {
    const due = Math.min(...timers.map((timer) => timer.due));
    const first = timers.filter((timer) => timer.due === due);
    return first.length === 1 ? first[0] : undefined;
  };
  return {
    begin(input) {
      const start = { runId: tapedRunId, startedAt: tapedStartMs, thread: workflow.thread?.initial ?? null };
      const move = stepper.begin(workflow.toMachineInput(workflow.parseInput(input), start));
      return arrive({ working: [], timers: [], now: 0 }, move);
    },
    nextTimer,
    act(at, act) {
      const { position, working, timers, now } = at;
      if ('event' in act) {
        if (!position.waits.some(({ accepts }) => accepts.includes(act.event.type))) return undefined;
        const event = read(stepper, act.event);
        const move = event && stepper.move(position, { ...event });
        return move && arrive({ working, timers, now }, move);
      }
      if ('timer' in act) {
        const timer = nextTimer(at);
        const move = timer?.name === act.timer ? stepper.move(position, { ...timer.event }) : undefined;
        return timer && move && arrive({ working, timers: timers.filter((other) => other !== timer), now: timer.due }, move);
      }
      const start = working.find(({ path }) => path === act.node);
      if (!start) return undefined;
      const move = stepper.move(
        position,
        toMachineEvent({ id: start.id, kind: 'node' } as Parameters<typeof toMachineEvent>[0], outcomeOf(start, act)),
      );
      return move && arrive({ working: working.filter((other) => other !== start), timers, now }, move);
    },
  };
}

/** Id of the played run. Id and start are part of the machine's input. */
export const tapedRunId = 'taped';
/** An arbitrary date: 1 January 2026. */
export const tapedStartMs: number = Date.UTC(2026, 0, 1);

/** Returns the error of a taped node. */
export const errorOf = (node: string, code: Extract<NodeOutcome, { readonly error: unknown }>['error']): WorkflowError =>
  new WorkflowError({ code, message: `"${node}" has failed.` });

function outcomeOf({ handler, state, path }: Start, act: NodeOutcome) {
  try {
    if ('error' in act) throw errorOf(path, act.error);
    return { output: deepFreeze(patchOf(handler, act.patch, state)) };
  } catch (thrown) {
    return { error: deepFreeze(toErrorInfo(thrown)) };
  }
}

function read(stepper: Stepper, event: EventObject): EventObject | undefined {
  try {
    return stepper.parse(event);
  } catch {
    return undefined;
  }
}

/** Returns the input of a node, in the form used for comparison. */
export const givenOf = ({ path, state }: Start): readonly [path: string, state: MachineContext] => [path, state];
