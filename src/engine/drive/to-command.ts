import type { AnyStateMachine, EventObject, ExecutableActionObject, MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { handlerOf } from '../define/node.ts';
import type { Command } from './stepper.ts';

/** Names of invocations and timers in the journal. They are paths of states, because XState's ids contain the machine's id. */
export interface Names {
  readonly paths: ReadonlyMap<string, string>;
  readonly timers: ReadonlyMap<string, string>;
}

/** Parameters of XState's actions, which its types omit. */
interface CommandParameters {
  readonly id: string;
  readonly src: string;
  readonly input: MachineContext;
  readonly event: EventObject;
  readonly delay: number | undefined;
  readonly sendId: string;
}

/** Converts an action of XState to a command, or to `undefined` when it needs none. */
export function toCommand(machine: AnyStateMachine, names: Names, action: ExecutableActionObject): Command | undefined {
  // parameters that XState's types omit; `test/contract/xstate.test.ts` checks them
  const params = action.params as unknown as CommandParameters | undefined;
  switch (action.type) {
    case 'xstate.spawnChild': {
      const handler = params && handlerOf(machine.implementations.actors[params.src]);
      if (!handler) break;
      return {
        type: 'start',
        id: params.id,
        path: names.paths.get(params.id) ?? params.id,
        handler,
        state: params.input,
      };
    }
    case 'xstate.stopChild':
      return params && { type: 'stop', id: params.id };
    case 'xstate.raise': // without a delay, the same move has already taken the event
      if (params?.delay === undefined) return undefined;
      if (!(params.delay >= 0 && params.delay < Number.POSITIVE_INFINITY)) throw delayInvalid(machine, params);
      return {
        type: 'delay',
        id: params.event.type,
        name: names.timers.get(params.event.type) ?? params.event.type,
        event: params.event,
        delayMs: params.delay,
      };
    case 'xstate.cancel':
      return params && { type: 'stop', id: params.sendId };
  }
  throw new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The machine "${machine.id}" requests the effect "${action.type}", which the driver does not support.`,
    hint: 'Do the work in a node.',
  });
}

const delayInvalid = ({ id }: AnyStateMachine, { event, delay }: CommandParameters): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `A delay of the machine "${id}" is ${delay} for ${event.type}.`,
    hint: 'Return a finite number of milliseconds, 0 or more.',
  });

/** Removes the commands that the same move undoes. A node or timer that is entered and left at once never starts, as under a live actor. */
export function dropUndone(commands: readonly Command[]): readonly Command[] {
  if (commands.length < 2) return commands;
  const remaining: Command[] = [];
  for (const command of commands) {
    const undone = command.type === 'stop' ? remaining.findLastIndex(({ type, id }) => type !== 'stop' && id === command.id) : -1;
    if (undone < 0) remaining.push(command);
    else remaining.splice(undone, 1);
  }
  return remaining;
}
