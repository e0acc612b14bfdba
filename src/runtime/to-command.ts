import type { AnyStateMachine, EventObject, ExecutableActionObject, MachineContext } from 'xstate';
import { WorkflowError } from '../errors.ts';
import { handlerOf } from '../workflow/node.ts';
import type { Command } from './stepper.ts';

/** What invocations and timers are called in the journal: made of paths, as XState's ids change with the machine's. */
export interface Names {
  readonly paths: ReadonlyMap<string, string>;
  readonly timers: ReadonlyMap<string, string>;
}

/** XState's actions carry parameters that its types leave out. */
interface CommandParameters {
  readonly id: string;
  readonly src: string;
  readonly input: MachineContext;
  readonly event: EventObject;
  readonly delay: number | undefined;
  readonly sendId: string;
}

/** What an action of XState asks of the driver; `undefined` when that is nothing. */
export function toCommand(machine: AnyStateMachine, names: Names, action: ExecutableActionObject): Command | undefined {
  // what XState's own actions carry, which its types leave out; `test/contract/xstate.test.ts` holds it
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
    case 'xstate.raise': // without a delay it was taken already, within the move
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
    message: `The machine "${machine.id}" asks for the effect "${action.type}", which the driver does not perform.`,
    hint: 'Do the work in a node.',
  });
}

const delayInvalid = ({ id }: AnyStateMachine, { event, delay }: CommandParameters): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `A delay of the machine "${id}" was computed as ${delay}, for ${event.type}.`,
    hint: 'Return a finite number of milliseconds from 0 on.',
  });

/** The commands without those that the same move undoes: what is entered and left at once never starts, as under a live actor. */
export function lasting(commands: readonly Command[]): readonly Command[] {
  if (commands.length < 2) return commands;
  const kept: Command[] = [];
  for (const command of commands) {
    const undone = command.type === 'stop' ? kept.findLastIndex(({ type, id }) => type !== 'stop' && id === command.id) : -1;
    if (undone < 0) kept.push(command);
    else kept.splice(undone, 1);
  }
  return kept;
}
