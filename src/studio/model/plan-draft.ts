/** A plan while a human edits it, with its undo history. */
export interface PlanDraft {
  readonly original: readonly string[];
  readonly rows: readonly PlanRow[];
  /** Rows before each change, newest last. */
  readonly before: readonly (readonly PlanRow[])[];
}

export interface PlanRow {
  readonly id: number;
  readonly text: string;
  /** True when the row is removed from the plan; it can be restored. */
  readonly removed: boolean;
  readonly added: boolean;
}

export type PlanChange =
  | { readonly do: 'edit'; readonly id: number; readonly text: string }
  | { readonly do: 'add'; readonly text: string }
  | { readonly do: 'remove'; readonly id: number }
  | { readonly do: 'restore'; readonly id: number }
  /** Moves a row to the position of another one. */
  | { readonly do: 'move'; readonly id: number; readonly to: number }
  | { readonly do: 'undo' };

/** Maximum number of rows in a plan, and of characters in a row; both are limits of the machine. */
export const maxRows = 5;
const maxRowChars = 300;

export const draftOf = (original: readonly string[]): PlanDraft => ({
  original,
  rows: original.map((text, id) => ({ id, text, removed: false, added: false })),
  before: [],
});

/** Applies a change to a draft. Returns the same draft if nothing changes. */
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

/** The plan that an approval would approve. */
export const planOf = ({ rows }: PlanDraft): readonly string[] => rows.filter(({ removed }) => !removed).map(({ text }) => text.trim());

export const isChanged = (draft: PlanDraft): boolean => JSON.stringify(planOf(draft)) !== JSON.stringify(draft.original);

export type PlanProblem = 'blank' | 'long' | 'twice';

/** Problems that the machine would reject, by row id. */
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

export const isSendable = (draft: PlanDraft): boolean => {
  const count = planOf(draft).length;
  return planProblems(draft).size === 0 && count > 0 && count <= Math.max(maxRows, draft.original.length);
};
