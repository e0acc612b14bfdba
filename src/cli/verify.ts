import { writeFile } from 'node:fs/promises';
import {
  type Counterexample,
  describeCounterexample,
  type Exploration,
  type Invariant,
  type Predicate,
  type UndecidedReason,
  type Verdict,
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
  /** Exits with 0 although something is undecided. */
  readonly allowUndecided?: boolean;
}

interface Finding {
  readonly check: string;
  /** `note`: what the check takes for granted. */
  readonly status: 'ok' | 'note' | 'undecided' | 'problem';
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
 * Explores every reachable state of a workflow, and reports broken promises. Exit code 1 if there is one or an edge is never taken, 6 if
 * something is undecided.
 *
 * @param name A workflow of this package, or a file with a workflow and its `invariants`.
 */
export async function verify(name: string, { json = false, svg, allowUndecided = false }: VerifyFlags): Promise<number> {
  const promises = await promisesOf(name);
  const { workflow, kit } = promises;
  const invariants = promises.invariants.map(checkedOnce);
  const issues = kit.lintWorkflow(workflow.machine);
  const explored = explore(promises);
  // explores once for all promises
  const { promises: verdicts } = kit.toPromiseReport(explored, invariants);
  const findings = [
    lint(issues),
    extent(explored),
    ...explored.gaps.map(gap),
    ...assumptions(explored),
    edges(explored),
    ends(explored),
    ...failures(explored),
    ...invariants.map((invariant) => promise(invariant, explored)),
  ];
  const broken = findings.filter(({ status }) => status === 'problem');
  const undecided = findings.filter(({ status }) => status === 'undecided');
  if (json) {
    const ok = broken.length === 0 && (undecided.length === 0 || allowUndecided);
    const head = { workflow: workflow.id, version: workflow.version, ok, undecided: undecided.length };
    const shown = findings.map(({ drawn: _, ...finding }) => finding);
    print(printableJson({ ...head, ...facts(explored), findings: shown, promises: verdicts }));
  } else printFindings(workflow.id, findings, undecided.length > 0 ? summary(undecided.length, allowUndecided) : undefined);
  if (svg !== undefined) await writeFile(svg, draw(workflow, broken));
  if (broken.length > 0) return exitCodes.failed;
  return undecided.length > 0 && !allowUndecided ? exitCodes.undecided : exitCodes.done;
}

/** Keeps the verdict, which the report and the findings need. */
function checkedOnce(invariant: Invariant): Invariant {
  let verdict: Verdict | undefined;
  return {
    ...invariant,
    check(explored) {
      verdict ??= invariant.check(explored);
      return verdict;
    },
  };
}

function summary(count: number, isAllowed: boolean): string {
  const said = count === 1 ? '1 check is undecided' : `${count} checks are undecided`;
  return isAllowed ? `${said}, which --allow-undecided accepts.` : `${said}. --allow-undecided accepts this.`;
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

function extent({ states, moves, gaps }: Exploration): Finding {
  const size = `${states.length} places, ${moves.length} moves`;
  return { check: 'everywhere', status: 'ok', detail: gaps.length === 0 ? `${size}: all of them` : `${size}, as far as explored` };
}

const gap = ({ code, message, hint }: UndecidedReason): Finding => ({ check: code, status: 'undecided', detail: `${message} ${hint}` });

/** Lists the statements of the user about nodes, waits and inputs. */
const assumptions = ({ assumptions: taken }: Exploration): readonly Finding[] =>
  taken.length === 0 ? [] : [{ check: 'assumes', status: 'note', detail: taken.join('; ') }];

function edges({ edgesTaken, edgesNeverTaken }: Exploration): Finding {
  const all = edgesTaken.length + edgesNeverTaken.length;
  if (edgesNeverTaken.length === 0) return { check: 'edges', status: 'ok', detail: `all ${all} are taken` };
  const never = edgesNeverTaken.map(({ from, on, guard }) => `${from} --${on}${guard === undefined ? '' : ` [${guard}]`}`);
  return { check: 'edges', status: 'problem', detail: `${edgesTaken.length} of ${all} are taken; never ${never.join(', ')}` };
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
    // what was not explored is a finding of its own
    const own = verdict.reasons.filter((reason) => !explored.gaps.some(({ message }) => message === reason.message));
    const why = own.map(({ message, hint }) => `${message} ${hint}`).join(' ');
    return { check: invariant.name, status: 'undecided', detail: why === '' ? 'holds as far as explored' : why };
  }
  if (verdict.verdict === 'holds') return { check: invariant.name, status: 'ok', detail: 'holds' };
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

const marks = { ok: '✓', note: '·', undecided: '?', problem: '✗' } as const;

/** @param last Last line of the output. */
function printFindings(workflow: string, findings: readonly Finding[], last?: string): void {
  const columns = breakAt(process.stdout);
  const rows = findings.map(({ status, check, detail }) => [marks[status], check, detail]);
  print(table([['', 'CHECK', workflow], ...rows], columns, 'wrap'));
  if (last !== undefined) print(last);
  for (const { status, check, detail, steps = [] } of findings) {
    if (status !== 'problem') continue;
    process.stderr.write(`${wrap(`${paint('red', '✗')} ${escapeControls(`${check}: ${detail}`)}`, columns, 2).join('\n')}\n`);
    for (const [index, step] of steps.entries()) {
      process.stderr.write(`${wrap(`  ${String(index).padStart(2)} ${escapeControls(step)}`, columns, 5).join('\n')}\n`);
    }
  }
}
