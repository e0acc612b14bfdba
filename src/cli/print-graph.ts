import type { RunEvent } from '../index.ts';
import {
  type MachineGraph,
  type RunPath,
  runPath,
  type Theme,
  toGraph,
  toHtml,
  toMermaid,
  toSvg,
  toXStateSource,
} from '../inspect/index.ts';
import { withStoredRun } from './open-runtime.ts';
import { UsageError } from './usage-error.ts';
import { isFile, machineOfFile } from './workflow-of-file.ts';
import { draftOf, workflowNamed } from './workflows.ts';

export interface GraphFlags {
  readonly format: GraphFormat;
  readonly db: string;
  /** Id of the run whose path is drawn. */
  readonly run?: string;
  readonly theme?: Theme;
}

type GraphFormat = 'mermaid' | 'svg' | 'html' | 'json' | 'xstate';

/** Draws a workflow's machine, and optionally the path of a run. @param name A workflow's name, or a file with one. */
export async function printGraph(name: string, { format, db, run, theme }: GraphFlags): Promise<void> {
  const machine = isFile(name) ? (await machineOfFile(name)).machine : (await draftOf(workflowNamed(name))).machine;
  const graph = toGraph(machine);
  const shown = run === undefined ? {} : await pathOfRun(graph, run, db);
  process.stdout.write(draw(graph, format, { ...shown, ...(theme ? { theme } : {}) }));
}

function draw(graph: MachineGraph, format: GraphFormat, options: Partial<RunPath> & { readonly theme?: Theme }): string {
  switch (format) {
    case 'mermaid':
      return toMermaid(graph, options);
    case 'svg':
      return toSvg(graph, options);
    case 'html':
      return toHtml(graph, options);
    case 'json':
      return `${JSON.stringify(graph, null, 2)}\n`;
    case 'xstate':
      return toXStateSource(graph);
  }
}

async function pathOfRun(graph: MachineGraph, runId: string, db: string): Promise<RunPath> {
  return withStoredRun({ db }, runId, async (runtime) => {
    const { workflow } = await runtime.get(runId);
    if (workflow !== graph.id) throw new UsageError(`The run ${runId} belongs to "${workflow}", not to "${graph.id}".`);
    const events: RunEvent[] = [];
    for (const entry of await runtime.history(runId)) events.push(...entry.events);
    return runPath(graph, events);
  });
}
