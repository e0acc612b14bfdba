import { z } from 'zod';
import { WorkflowError } from '../core/errors/errors.ts';
import { runStatuses } from '../core/ports/run-store.ts';
import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';
import type { MachineGraph } from '../index.ts';
import type { EvalVersion } from '../server/index.ts';

/** A report of a file, with the name of its eval. */
export interface FileReport extends Omit<EvalVersion, 'addedAt'> {
  readonly eval: string;
}

/** Maximum depth of a report. A deeper value could exhaust the stack of the server or of the page. */
const maxDepth = 100;
/** Maximum numbers, for the time that the page takes to draw them. */
const most = { rows: 20_000, graders: 200, moves: 2_000, states: 2_000, reports: 8 };

const text = z.string();
const share = z.number().min(0).max(1);
const count = z.int().min(0);
const edge = z.object({
  on: text,
  guard: text.optional(),
  target: text.optional(),
  targets: z.array(text).optional(),
  reenter: z.boolean(),
  actions: z.array(text),
  description: text.optional(),
});
const graph: z.ZodType<MachineGraph> = z
  .object({
    id: text,
    version: text,
    initial: text,
    states: z
      .array(
        z.object({
          path: text.min(1),
          kind: z.enum(['node', 'waiting', 'final', 'compound', 'parallel', 'idle']),
          parent: text,
          initial: text.optional(),
          node: text.optional(),
          history: z.enum(['shallow', 'deep']).optional(),
          outcome: z.enum(['failure', 'success']).optional(),
          description: text.optional(),
          edges: z.array(edge).max(most.states),
        }),
      )
      .min(1)
      .max(most.states),
  })
  .refine(fitsTogether, 'its states do not fit together');
const run = z.object({
  case: text,
  repeat: count,
  status: z.enum(runStatuses),
  finalState: text.optional(),
  output: z.json().optional(),
  path: z.array(text).max(most.moves),
  moves: z
    .array(z.object({ from: text, to: text, on: text, guard: text.optional() }))
    .max(most.moves)
    .optional(),
  calls: z.array(z.object({ tool: text, args: z.json(), error: text.optional() })),
  modelCalls: count,
  usage: z.object({ inputTokens: count, outputTokens: count, cachedInputTokens: count.optional(), reasoningTokens: count.optional() }),
  costUsd: z.number().min(0).optional(),
  durationMs: z.number().min(0),
  error: z.object({ code: text, message: text, hint: text.optional() }).optional(),
  scores: z.record(text, z.object({ score: share, why: text.optional() })),
});
const report = z.object({
  eval: text.min(1),
  workflow: text,
  version: text,
  model: text.optional(),
  ok: z.boolean(),
  graders: z.array(z.object({ name: text, mean: share, threshold: share, ok: z.boolean() })).max(most.graders),
  rows: z.array(run).max(most.rows),
  graph: graph.optional(),
});
const comparison = z.object({
  against: text.optional(),
  reports: z.array(report).min(1).max(most.reports),
  comparisons: z.array(z.object({ graders: z.array(z.object({ name: text, verdict: text })) })).optional(),
});

/** A machine drawn from states that are not in it, or inside themselves, would not end. */
function fitsTogether({ initial, states }: MachineGraph): boolean {
  const paths = new Set(states.map(({ path }) => path));
  const isInside = (path: string | undefined, parent: string): boolean =>
    path !== undefined && paths.has(path) && path.slice(0, Math.max(0, path.lastIndexOf('.'))) === parent;
  return (
    paths.size === states.length &&
    isInside(initial, '') &&
    states.every(
      ({ path, parent, kind, initial: first, edges }) =>
        isInside(path, parent) &&
        (kind !== 'compound' || isInside(first, path)) &&
        edges.every(({ target, targets = [] }) => (target === undefined || paths.has(target)) && targets.every((each) => paths.has(each))),
    )
  );
}

/**
 * Reads the reports of a file that `agent-machines eval --json` has written. A comparison has one for each version, the base first.
 *
 * @param file Name for labels and messages.
 * @throws {WorkflowError} `EVAL_REPORT_INVALID`.
 */
export function parseEvalReports(json: string, file: string): readonly FileReport[] {
  if (depthOf(json) > maxDepth) throw invalid(`${file} is more than ${maxDepth} levels deep.`);
  const value = parseJson(json);
  if (value === undefined) throw invalid(`${file} is not JSON.`);
  const isComparison = isObject(value) && 'reports' in value;
  const read: Comparison = isComparison ? parsed(comparison, value, file) : { reports: [parsed(report, value, file)] };
  const { against, reports, comparisons = [] } = read;
  const stem = file.replace(/\.json$/i, '');
  return reports.map(({ rows, ...more }, index): FileReport => {
    const graders = index === 0 ? undefined : comparisons[index - 1]?.graders;
    const verdicts = graders && Object.fromEntries(graders.map(({ name, verdict }) => [name, verdict]));
    return {
      ...more,
      id: `${file}#${index}`,
      file,
      label: labelOf({ stem, against, model: more.model, index, isAlone: reports.length === 1 }),
      runs: rows,
      ...(verdicts ? { compared: { with: `${file}#0`, verdicts } } : {}),
    };
  });
}

type Comparison = z.infer<typeof comparison>;

interface Labelled {
  readonly stem: string;
  readonly against: string | undefined;
  readonly model: string | undefined;
  readonly index: number;
  readonly isAlone: boolean;
}

/** The code of a git ref is compared with the current code, which has no name but that of the file. Models have their own. */
function labelOf({ stem, against, model, index, isAlone }: Labelled): string {
  if (against !== undefined && index === 0) return against;
  if (against !== undefined || isAlone) return stem;
  return model ?? `${stem} ${index + 1}`;
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [{ path, message } = { path: [], message: '' }] = error?.issues ?? [];
  throw invalid(`${file} is not a report of an eval. At ${path.map(String).join('.') || 'the top'}: ${message}.`);
}

/** Depth of the nesting of a JSON text; `JSON.parse` has no limit. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth);
    else if (token === '}' || token === ']') depth--;
  }
  return deepest;
}

const invalid = (message: string): WorkflowError =>
  new WorkflowError({
    code: 'EVAL_REPORT_INVALID',
    message,
    hint: 'Write the file with: agent-machines eval FILE --json > report.json',
  });
