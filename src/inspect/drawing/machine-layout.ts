import type { GraphEdge, GraphState } from '../../workflow/graph.ts';

/** Where everything of a machine's drawing stands, in pixels from its upper left corner. */
export interface MachineLayout {
  readonly width: number;
  readonly height: number;
  /** Parents first. */
  readonly states: readonly StateShape[];
  readonly edges: readonly EdgeShape[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface StateShape extends Box {
  readonly state: GraphState;
  /** Its last key, cut where it is very long. */
  readonly name: string;
  /** True of a state with states inside. */
  readonly group: boolean;
  /** True of a region of a parallel state. */
  readonly region: boolean;
  /** Where the dot stands that leads to it: the machine, or the state around it, begins here. */
  readonly dot?: Point;
  /** Where the name stands. */
  readonly text: Box;
}

/** One line from a state to another one: all edges that lead from the one to the other. */
export interface EdgeShape {
  /** Paths of the states. */
  readonly from: string;
  readonly to: string;
  /** Which edges it is, in the order in which they are tried. */
  readonly edges: readonly GraphEdge[];
  /** True when nothing but errors takes it. */
  readonly error: boolean;
  /** The whole way, from the border of the one state to the border of the other; four points of a loop. */
  readonly points: readonly Point[];
  /** The part to draw where lines with one target share a rail: up to where the next one has joined. Absent: all of it. */
  readonly drawn?: readonly Point[];
  /** Where the label interrupts the first part of the way. */
  readonly gap?: readonly [from: number, to: number];
  readonly label?: EdgeLabel;
}

export interface EdgeLabel extends Box {
  readonly align: 'start' | 'end';
  readonly lines: readonly LabelLine[];
}

/** Events with one condition, on one line. */
export interface LabelLine {
  readonly text: string;
  readonly edges: readonly GraphEdge[];
}
