export { type GraphEdge, type GraphState, type MachineGraph, toGraph } from '../workflow/graph.ts';
export type { TakenEdge } from './drawing/drawn-path.ts';
export { layoutMachine } from './drawing/layout-machine.ts';
export type { Box, EdgeLabel, EdgeShape, LabelLine, MachineLayout, Point, StateShape } from './drawing/machine-layout.ts';
export type { Theme } from './drawing/palette.ts';
export { type SvgOptions, toSvg } from './drawing/to-svg.ts';
export { toMermaid } from './mermaid.ts';
export type { DescribeNode, DescriptionFormat, NodeDescription } from './node-description.ts';
