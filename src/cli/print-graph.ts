import { toGraph, toMermaid } from '../inspect/index.ts';
import { draftOf, workflowNamed } from './workflows.ts';

/** Draws a workflow's machine. @param format `mermaid` or `json`. */
export async function printGraph(name: string, format: string): Promise<void> {
  const { machine } = await draftOf(workflowNamed(name));
  const graph = toGraph(machine);
  process.stdout.write(format === 'json' ? `${JSON.stringify(graph, null, 2)}\n` : toMermaid(graph));
}
