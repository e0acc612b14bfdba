import type { MachineGraph } from '../../../../engine/define/graph.ts';
import { toSvg } from '../../../../inspect/drawing/to-svg.ts';
import type { Step } from './steps.ts';

/** Shows the statechart after a step, with the path so far. */
export function showMachine(graph: MachineGraph, steps: readonly Step[], chosen: number, dark: boolean): Node {
  const path = steps.slice(0, chosen + 1).flatMap(({ edge }) => (edge ? [edge] : []));
  const active = steps[chosen]?.active ?? [];
  const svg = toSvg(graph, { theme: dark ? 'dark' : 'light', path, active });
  return document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);
}
