/** A plan while a human changes it: what it was, what it is, and the way back. */
export interface PlanDraft {
  /** As it was asked about. */
  readonly asked: readonly string[];
  readonly rows: readonly PlanRow[];
  /** What it was before each change, newest last. */
  readonly before: readonly (readonly PlanRow[])[];
}

export interface PlanRow {
  /** Stays with a row wherever it goes. */
  readonly id: number;
  readonly text: string;
  /** Will not be in the plan; it can be put back. */
  readonly removed: boolean;
  readonly added: boolean;
}

export type PlanChange =
  | { readonly do: 'edit'; readonly id: number; readonly text: string }
  | { readonly do: 'add'; readonly text: string }
  | { readonly do: 'remove'; readonly id: number }
  | { readonly do: 'restore'; readonly id: number }
  /** Moves a row to the place of another one. */
  | { readonly do: 'move'; readonly id: number; readonly to: number }
  | { readonly do: 'undo' };

/** How many rows a plan may have, and how long one may be: what the machine takes. */
export const maxRows = 5;
const maxRowChars = 300;

export const draftOf = (asked: readonly string[]): PlanDraft => ({
  asked,
  rows: asked.map((text, id) => ({ id, text, removed: false, added: false })),
  before: [],
});

/** The draft after a change; the same one when nothing has changed. */
export function changePlan(draft: PlanDraft, change: PlanChange): PlanDraft {
  if (change.do === 'undo') {
    const rows = draft.before.at(-1);
    return rows ? { ...draft, rows, before: draft.before.slice(0, -1) } : draft;
  }
  const rows = changedRows(draft.rows, change);
  return rows === draft.rows ? draft : { ...draft, rows, before: [...draft.before, draft.rows] };
}

function changedRows(rows: readonly PlanRow[], change: Exclude<PlanChange, { do: 'undo' }>): readonly PlanRow[] {
  if (change.do === 'add') {
    const id = Math.max(-1, ...rows.map((row) => row.id)) + 1;
    return [...rows, { id, text: change.text, removed: false, added: true }];
  }
  const index = rows.findIndex(({ id }) => id === change.id);
  const row = rows[index];
  if (!row) return rows;
  switch (change.do) {
    case 'edit':
      return row.text === change.text ? rows : rows.with(index, { ...row, text: change.text });
    case 'remove':
      if (row.added) return rows.toSpliced(index, 1);
      return row.removed ? rows : rows.with(index, { ...row, removed: true });
    case 'restore':
      return row.removed ? rows.with(index, { ...row, removed: false }) : rows;
    case 'move': {
      const to = Math.max(0, Math.min(change.to, rows.length - 1));
      return to === index ? rows : rows.toSpliced(index, 1).toSpliced(to, 0, row);
    }
  }
}

/** What would be approved. */
export const planOf = ({ rows }: PlanDraft): readonly string[] => rows.filter(({ removed }) => !removed).map(({ text }) => text.trim());

export const isChanged = (draft: PlanDraft): boolean => JSON.stringify(planOf(draft)) !== JSON.stringify(draft.asked);

export type PlanProblem = 'blank' | 'long' | 'twice';

/** What the machine would refuse, by the row's id. */
export function planProblems({ rows }: PlanDraft): ReadonlyMap<number, PlanProblem> {
  const seen = new Set<string>();
  const problems = new Map<number, PlanProblem>();
  for (const { id, text, removed } of rows) {
    if (removed) continue;
    const same = text.trim().normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ');
    if (!/[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text)) problems.set(id, 'blank');
    else if (text.trim().length > maxRowChars) problems.set(id, 'long');
    else if (seen.has(same)) problems.set(id, 'twice');
    seen.add(same);
  }
  return problems;
}

/** It may be sent. */
export const isSendable = (draft: PlanDraft): boolean => {
  const count = planOf(draft).length;
  return planProblems(draft).size === 0 && count > 0 && count <= Math.max(maxRows, draft.asked.length);
};
