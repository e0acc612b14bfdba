import type { EventObject, MachineContext } from 'xstate';
import type { WaitingState } from '../workflow/graph.ts';
import type { NodeHandler } from '../workflow/node.ts';

/** How a machine moves: pure, and without any knowledge of who drives it. On XState for every machine, by a table for flat ones. */
export interface Stepper {
  readonly engine: 'table' | 'xstate';
  begin(input: unknown): Move;
  /** Checks a human's event. @throws {WorkflowError} `EVENT_INVALID`. */
  parse(event: EventObject): EventObject;
  /** `undefined` when no edge accepts the event. @throws what a guard, a reducer or the machine's output throws. */
  move(position: Position, event: EventObject): Move | undefined;
}

/** Where a run is. */
export interface Position {
  readonly state: MachineContext;
  /** Path of the active state; of several at once, joined with `|`. */
  readonly where: string;
  readonly done: boolean;
  readonly output: unknown;
  /** The waiting states that are active. */
  readonly waits: readonly WaitingState[];
}

/** A position, what to start and stop on the way to it, and the edges that led there. */
export interface Move {
  readonly position: Position;
  readonly commands: readonly Command[];
  readonly edges: readonly TakenEdge[];
}

export interface TakenEdge {
  readonly from: string;
  readonly on: string;
  readonly guard?: string;
}

export type Command =
  | {
      readonly type: 'start';
      readonly id: string;
      readonly path: string;
      readonly handler: NodeHandler<MachineContext>;
      /** What the node's `input` makes of the state. */
      readonly state: MachineContext;
    }
  | { readonly type: 'stop'; readonly id: string }
  | { readonly type: 'delay'; readonly id: string; readonly name: string; readonly event: EventObject; readonly delayMs: number };
