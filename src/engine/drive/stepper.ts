import type { EventObject, MachineContext } from 'xstate';
import type { WaitingState } from '../define/graph.ts';
import type { NodeHandler } from '../define/node.ts';

/** Moves a machine. Pure, and independent of the driver. XState moves any machine, and a table moves flat ones. */
export interface Stepper {
  readonly engine: 'table' | 'xstate';
  begin(input: unknown): Move;
  /** Checks a human's event. @throws {WorkflowError} `EVENT_INVALID`. */
  parse(event: EventObject): EventObject;
  /** Returns `undefined` when no edge accepts the event. @throws errors of a guard, a reducer or the machine's output. */
  move(position: Position, event: EventObject): Move | undefined;
}

/** Position of a machine. */
export interface Position {
  readonly state: MachineContext;
  /** Path of the active state. Paths of several active states are joined with `|`. */
  readonly where: string;
  readonly done: boolean;
  readonly output: unknown;
  /** Active waiting states. */
  readonly waits: readonly WaitingState[];
  /** States that history states remember, if the machine has any and every edge is reported. */
  readonly history?: string;
}

/** A position, the commands on the way to it, and the edges that led there. */
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
      /** State after the node's `input` function. */
      readonly state: MachineContext;
    }
  | { readonly type: 'stop'; readonly id: string }
  | { readonly type: 'delay'; readonly id: string; readonly name: string; readonly event: EventObject; readonly delayMs: number };
