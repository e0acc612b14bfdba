import { writeFile } from 'node:fs/promises';
import {
  type Counterexample,
  describeCounterexample,
  type Exploration,
  type Invariant,
  type Predicate,
  toPromiseReport,
} from 'agent-machines/testing';
import type { AnyWorkflow, LintIssue } from '../index.ts';
import { toGraph, toSvg } from '../inspect/index.ts';
import { counterexampleSteps } from './counterexample-steps.ts';
import { exitCodes } from './exit-codes.ts';
import { explore, promisesOf } from './promises-of.ts';
import { breakAt, escapeControls, paint, print, printableJson, table, wrap } from './terminal.ts';

export interface VerifyFlags {
  readonly json?: boolean;
  /** Path of an SVG of the machine, with the path of the first counterexample. */
  readonly svg?: string;
}

interface Finding {
  readonly check: string;
  /** `note`: no known problem. */
  readonly status: 'ok' | 'note' | 'problem';
  readonly detail: string;
  /** Shortest path to the violation, one line per step. */
  readonly steps?: readonly string[];
  /** Transitions of that path. */
  readonly path?: Path;
  /** The same path for the drawing, with the conditions of its promise. */
  readonly drawn?: { readonly way: Counterexample; readonly predicates?: readonly Predicate[] };
}

type Path = Counterexample['path'];

/**
 * Explores every reachable state of a workflow, and reports broken promises. Exit code 1 if there is one.
 *
 * @param name A workflow of this package, or a file with a workflow and its `invariants`.
 */
export async function verify(name: string, { json = false, svg }: VerifyFlags): Promise<number> {
  const promises = await promisesOf(name);
  const { workflow, invariants, kit } = promises;
  const issues = kit.lintWorkflow(workflow.machine);
  const explored = explore(promises);
  const findings = [
    lint(issues),
    extent(explored),
    edges(explored),
    ends(explored),
    ...failures(explored),
    ...invariants.map((invariant) => promise(invariant, explored)),
  ];
  const broken = findings.filter(({ status }) => status === 'problem');
  if (json) {
    const report = toPromiseReport(explored, invariants);
    const head = { workflow: workflow.id, version: workflow.version, ok: broken.length === 0 };
    const shown = findings.map(({ drawn: _, ...finding }) => finding);
    print(printableJson({ ...head, ...facts(explored), findings: shown, promises: report.promises }));
  } else printFindings(workflow.id, findings);
  if (svg !== undefined) await writeFile(svg, draw(workflow, broken));
  return broken.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Draws the machine, with the first path to a violation. */
function draw(workflow: AnyWorkflow, broken: readonly Finding[]): string {
  const { check = '', detail = '', drawn } = broken.find((finding) => finding.drawn) ?? {};
  const steps = drawn ? [{ title: check, edges: [], values: [detail] }, ...counterexampleSteps(workflow, drawn.way, drawn.predicates)] : [];
  return toSvg(toGraph(workflow.machine), { steps });
}

const facts = ({ states, moves, complete, cutOff, abstraction, edgesTaken, edgesNeverTaken }: Exploration): object => ({
  places: states.length,
  moves: moves.length,
  complete,
  cutOff,
  abstraction,
  edgesTaken: edgesTaken.length,
  edgesNeverTaken,
});

const lint = (issues: readonly LintIssue[]): Finding => ({
  check: 'lint',
  status: issues.length === 0 ? 'ok' : 'problem',
  detail: issues.map(({ code, state, message }) => `${code} ${state}: ${message}`).join('; ') || 'the machine is valid',
});

function extent({ states, moves, cutOff }: Exploration): Finding {
  const size = `${states.length} places, ${moves.length} moves`;
  if (cutOff.length === 0) return { check: 'everywhere', status: 'ok', detail: `${size}: all of them` };
  return { check: 'everywhere', status: 'note', detail: `${size}, and not ${cutOff.join('; nor ')}` };
}

function edges({ edgesTaken, edgesNeverTaken }: Exploration): Finding {
  const all = edgesTaken.length + edgesNeverTaken.length;
  if (edgesNeverTaken.length === 0) return { check: 'edges', status: 'ok', detail: `all ${all} are taken` };
  const never = edgesNeverTaken.map(({ from, on, guard }) => `${from} --${on}${guard === undefined ? '' : ` [${guard}]`}`);
  return { check: 'edges', status: 'note', detail: `${edgesTaken.length} of ${all} are taken; never ${never.join(', ')}` };
}

function ends({ stuck, pathTo }: Exploration): Finding {
  const [first] = stuck;
  if (!first) return { check: 'ends', status: 'ok', detail: 'an end is reachable from everywhere' };
  const moves = pathTo(first);
  const way = { start: moves[0]?.from ?? first, moves, path: moves.flatMap((move) => move.edges) };
  const detail = `no end is reachable from ${first.where}`;
  return { check: 'ends', status: 'problem', detail, steps: describeCounterexample(way), path: way.path, drawn: { way } };
}

/** Errors that would break a run, without duplicates. */
function failures({ failures: found, pathTo }: Exploration): readonly Finding[] {
  const kinds = new Map(found.map((failure) => [`${failure.by} ${failure.error.message}`, failure]));
  return [...kinds.values()].map(({ from, by, outcome, error }): Finding => {
    const moves = from ? pathTo(from) : [];
    const start = moves[0]?.from ?? from;
    return {
      check: 'breaks',
      status: 'problem',
      detail: `${error.code}: ${error.message}`,
      ...(start ? { steps: [...describeCounterexample({ start, moves, path: [] }), `${by}: ${outcome}`] } : {}),
      path: moves.flatMap((move) => move.edges),
      ...(start ? { drawn: { way: { start, moves, path: [] } } } : {}),
    };
  });
}

function promise(invariant: Invariant, explored: Exploration): Finding {
  const verdict = invariant.check(explored);
  if (verdict.verdict === 'undecided') {
    return { check: invariant.name, status: 'note', detail: verdict.reasons.map(({ message, hint }) => `${message} ${hint}`).join(' ') };
  }
  if (verdict.verdict === 'holds') {
    return explored.complete
      ? { check: invariant.name, status: 'ok', detail: 'holds' }
      : { check: invariant.name, status: 'note', detail: 'holds as far as explored' };
  }
  const { why, counterexample } = verdict;
  return {
    check: invariant.name,
    status: 'problem',
    detail: why,
    steps: describeCounterexample(counterexample),
    path: counterexample.path,
    drawn: { way: counterexample, ...('predicates' in invariant ? { predicates: invariant.predicates as readonly Predicate[] } : {}) },
  };
}

const marks = { ok: '✓', note: '·', problem: '✗' } as const;

function printFindings(workflow: string, findings: readonly Finding[]): void {
  const columns = breakAt(process.stdout);
  const rows = findings.map(({ status, check, detail }) => [marks[status], check, detail]);
  print(table([['', 'CHECK', workflow], ...rows], columns, 'wrap'));
  for (const { status, check, detail, steps = [] } of findings) {
    if (status !== 'problem') continue;
    process.stderr.write(`${wrap(`${paint('red', '✗')} ${escapeControls(`${check}: ${detail}`)}`, columns, 2).join('\n')}\n`);
    for (const [index, step] of steps.entries()) {
      process.stderr.write(`${wrap(`  ${String(index).padStart(2)} ${escapeControls(step)}`, columns, 5).join('\n')}\n`);
    }
  }
}
