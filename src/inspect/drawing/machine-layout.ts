import type { GraphEdge, GraphState } from '../../engine/define/graph.ts';

/** Layout of a machine's drawing, in pixels from its upper left corner. */
export interface MachineLayout {
  readonly width: number;
  readonly height: number;
  /** In order, parents first. */
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
  /** Last key of the path, cut if it is very long. */
  readonly name: string;
  /** True for a state with child states. */
  readonly group: boolean;
  /** True for a region of a parallel state. */
  readonly region: boolean;
  /** Position of the dot that marks an initial state. */
  readonly dot?: Point;
  /** Position of the name. */
  readonly text: Box;
}

/** Line from one state to another. Represents all edges between them. */
export interface EdgeShape {
  /** Path of the source state. */
  readonly from: string;
  readonly to: string;
  /** Edges of the line, in the order in which they are tried. */
  readonly edges: readonly GraphEdge[];
  /** True if only errors take this line. */
  readonly error: boolean;
  /** All points, from the border of the source to the border of the target; four points for a loop. */
  readonly points: readonly Point[];
  /** Part to draw where lines with one target share a rail, up to where the next line joins. Absent: all points. */
  readonly drawn?: readonly Point[];
  /** Gap for the label in the first segment. */
  readonly gap?: readonly [from: number, to: number];
  readonly label?: EdgeLabel;
}

export interface EdgeLabel extends Box {
  readonly align: 'start' | 'end';
  readonly lines: readonly LabelLine[];
}

/** One line of text: events with the same guard. */
export interface LabelLine {
  readonly text: string;
  readonly edges: readonly GraphEdge[];
  /** The text in parts, if it has several events: before, event, separator, event, …, after. */
  readonly parts?: readonly string[];
}
