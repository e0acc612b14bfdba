import { layoutMachine, type MachineGraph, type MachineLayout, toGraph, toSvg } from 'agent-machines/inspect';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { flatMachines, flatWorkflow } from '../fixtures/flat-machines.ts';
import { type Box, crosses, isOnBorder, overlap, segmentsOf, sharedLength } from '../fixtures/geometry.ts';
import { says } from '../fixtures/log-workflow.ts';
import { hostileGraphs, localGraphs, randomGraphs } from '../fixtures/random-graphs.ts';
import { share } from '../fixtures/share.ts';

const machines = fc.oneof(
  { weight: 3, arbitrary: randomGraphs },
  { weight: 2, arbitrary: localGraphs },
  { weight: 1, arbitrary: hostileGraphs },
  { weight: 1, arbitrary: flatMachines.map((plan) => toGraph(flatWorkflow(plan, says('x')).machine)) },
);
const forAll = (check: (graph: MachineGraph, layout: MachineLayout) => void, numRuns = share(250)): void =>
  fc.assert(
    fc.property(machines, (graph) => void check(graph, layoutMachine(graph))),
    { numRuns },
  );

const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`);

/** What a text stands in: labels, and names of states with states inside. */
const textsOf = ({ edges, states }: MachineLayout): readonly (Box & { readonly of: object })[] => [
  ...edges.flatMap((edge) => (edge.label ? [{ ...box(edge.label), of: edge }] : [])),
  ...states.filter(({ group }) => group).map((state) => ({ ...state.text, of: state })),
];
const box = ({ x, y, width, height }: Box): Box => ({ x, y, width, height });

describe('layoutMachine', () => {
  it('overlaps states only when one contains the other', () => {
    forAll((_, { states }) => {
      for (const [index, a] of states.entries()) {
        for (const b of states.slice(index + 1)) {
          if (isWithin(b.state.path, a.state.path))
            expect(a.x < b.x && a.y < b.y && a.x + a.width > b.x + b.width && a.y + a.height > b.y + b.height).toBe(true);
          else expect(overlap(a, b)).toBe(false);
        }
      }
    });
  });

  it('lets no label overlap a state, a name or another label, and keeps all of them inside the drawing', () => {
    forAll((_, layout) => {
      const texts = textsOf(layout);
      for (const [index, text] of texts.entries()) {
        expect(text.x >= 0 && text.y >= 0 && text.x + text.width <= layout.width && text.y + text.height <= layout.height).toBe(true);
        expect(layout.states.filter((state) => !state.group && overlap(state, text))).toEqual([]);
        expect(texts.slice(index + 1).filter((other) => overlap(other, text))).toEqual([]);
      }
    });
  });

  it('keeps the name of every state inside it', () => {
    forAll((_, { states }) => {
      for (const { x, width, text } of states) expect(text.x >= x + 8 && text.x + text.width <= x + width - 8).toBe(true);
    });
  });

  it('draws every edge once per target, and labels none twice', () => {
    forAll((graph, { edges }) => {
      const expected = graph.states.flatMap(({ path, edges }) =>
        edges.flatMap((edge) => [...new Set(edge.targets ?? [edge.target ?? path])].map((target) => [path, target, edge] as const)),
      );
      for (const [from, to, edge] of expected) {
        const lines = edges.filter((line) => line.from === from && line.to === to && line.edges.includes(edge));
        expect(lines).toHaveLength(1);
        const labels = lines.flatMap(({ label }) => label?.lines ?? []).filter(({ edges }) => edges.includes(edge));
        expect(labels.length).toBe(lines[0]?.label ? 1 : 0);
      }
      expect(edges.reduce((sum, line) => sum + line.edges.length, 0)).toBe(expected.length);
    });
  });

  it('omits a label only where a node has one way on, or one for its errors', () => {
    forAll((graph, { edges }) => {
      for (const { label, from, edges: own } of edges.filter(({ label }) => !label)) {
        expect([label, own.length]).toEqual([undefined, 1]);
        const [edge] = own;
        const rivals = graph.states.find(({ path }) => path === from)?.edges.filter(({ on }) => on === edge?.on);
        expect([rivals?.length, edge?.guard, ['done', 'error'].includes(edge?.on ?? '')]).toEqual([1, undefined, true]);
      }
    });
  });

  it('begins and ends every line at the borders of its states', () => {
    forAll((_, { states, edges }) => {
      const byPath = new Map(states.map((state) => [state.state.path, state]));
      for (const { from, to, points } of edges) {
        expect(isOnBorder(points[0], byPath.get(from))).toBe(true);
        expect(isOnBorder(points.at(-1), byPath.get(to))).toBe(true);
      }
    });
  });

  it('routes no line through an unrelated state, a label or a name', () => {
    forAll((_, layout) => {
      const texts = textsOf(layout);
      for (const edge of layout.edges) {
        const segments = segmentsOf(edge.points, edge.gap);
        const foreign = layout.states.filter(({ state }) => !isWithin(edge.from, state.path) && !isWithin(edge.to, state.path));
        for (const segment of segments) {
          expect(foreign.filter((state) => crosses(segment, state))).toEqual([]);
          expect(texts.filter((text) => crosses(segment, text))).toEqual([]);
        }
      }
    });
  });

  it('overlaps lines only on a rail to their common target', () => {
    forAll((_, { edges }) => {
      for (const [index, a] of edges.entries()) {
        for (const b of edges.slice(index + 1)) {
          const shared = sharedLength(segmentsOf(a.points), segmentsOf(b.points));
          if (a.to !== b.to || a.error !== b.error) expect(shared).toBe(0);
        }
      }
    }, 200);
  });

  it('moves the other states little when one edge is removed', () => {
    let [moved, compared] = [0, 0];
    forAll((graph, { states }) => {
      for (const at of graph.states.flatMap(({ edges }, state) => edges.map((_, edge) => ({ state, edge })))) {
        const fewer = graph.states.map((state, index) =>
          index === at.state ? { ...state, edges: state.edges.toSpliced(at.edge, 1) } : state,
        );
        const after = new Map(layoutMachine({ ...graph, states: fewer }).states.map((state) => [state.state.path, state]));
        for (const { state, x, y } of states) {
          const now = after.get(state.path);
          moved += Math.hypot((now?.x ?? 0) - x, (now?.y ?? 0) - y);
          compared++;
        }
      }
    }, 100);
    expect(moved / compared).toBeLessThan(25);
  });
});

describe('toSvg', () => {
  it('is well-formed XML without script or address for any names, in every theme', () => {
    fc.assert(
      fc.property(hostileGraphs, fc.constantFrom('light', 'dark', 'auto'), (graph, theme) => {
        const path = graph.states.flatMap(({ path: from, edges }) =>
          edges.slice(0, 1).map(({ on, guard }) => ({ from, on, ...(guard === undefined ? {} : { guard }) })),
        );
        const steps = path.map((edge, at) => ({ title: edge.from, edges: [edge], values: at % 2 === 0 ? [edge.on] : [] }));
        const svg = toSvg(graph, { theme, path, active: graph.states.slice(0, 1).map((state) => state.path), steps });
        const elements = new Set<string>();
        const attributes = new Set<string>();
        const parser = new SaxesParser({ xmlns: true });
        parser.on('error', (error) => {
          throw error;
        });
        parser.on('opentag', ({ name, attributes: own }) => {
          elements.add(name);
          for (const attribute of Object.keys(own)) attributes.add(attribute);
        });
        parser.write(svg).close();
        expect(
          [...elements].filter((name) => !['svg', 'title', 'desc', 'style', 'rect', 'circle', 'path', 'text', 'tspan', 'g'].includes(name)),
        ).toEqual([]);
        expect([...attributes].filter((name) => /^on|href|^style$/i.test(name))).toEqual([]);
      }),
      { numRuns: share(300) },
    );
  });

  it('is equal for equal machines', () => {
    forAll((graph) => expect(toSvg(structuredClone(graph))).toBe(toSvg(graph)), share(100));
  });
});
