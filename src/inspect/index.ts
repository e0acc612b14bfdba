export { type GraphEdge, type GraphState, type MachineGraph, toGraph } from '../workflow/graph.ts';
export { toMermaid } from './mermaid.ts';
export type { DescribeNode, DescriptionFormat, NodeDescription } from './node-description.ts';
