import { type ReactNode, useRef, useState } from 'react';
import type { Answer } from '../../server/api/calls.ts';
import { changePlan, draftOf, isChanged, isSendable, maxRows, type PlanChange, type PlanDraft, planOf } from '../model/plan-draft.ts';
import { AnswerTrouble, isBusy } from './answer-line.tsx';
import type { QuestionProps } from './decisions.tsx';
import { Icon } from './icon.tsx';
import { LineForm } from './line-form.tsx';
import { PlanRows } from './plan-rows.tsx';
import { useStudio, useWords } from './studio-context.tsx';

/** A plan for review, editing and approval. The visible plan is the approved one: changed rows are sent as an edit before the approval. */
export function PlanReview({ runId, interrupt, answer }: QuestionProps): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const tasks = tasksOf(interrupt.question);
  const { revision, notice } = fieldsOfQuestion(interrupt.question);
  const [{ id, draft, stale, known }, setDraft] = useState(() => ({ id: interrupt.id, draft: draftOf(tasks), stale: false, known: tasks }));
  if (id !== interrupt.id) {
    const lost = isChanged(draft) && !isBusy(answer) && JSON.stringify(planOf(draft)) !== JSON.stringify(tasks);
    setDraft({ id: interrupt.id, draft: draftOf(tasks), stale: lost, known: draft.original });
  }
  const change = (what: PlanChange): void => setDraft((now) => ({ ...now, draft: changePlan(now.draft, what) }));
  const [wishing, setWishing] = useState(false);
  const busy = isBusy(answer);
  const send = (...events: readonly Answer['event'][]): void => void studio.answer(runId, interrupt.id, events);
  const approve = (): void => {
    if (busy || !isSendable(draft)) return;
    send(...(isChanged(draft) ? [{ type: 'EDIT', sub_tasks: [...planOf(draft)] }] : []), { type: 'APPROVE' });
  };
  const card = useRef<HTMLElement>(null);
  return (
    <section
      ref={card}
      className="turn"
      aria-label={say.approvePlan}
      data-turn="plan"
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) approve();
        else if (event.key === 'z' && (event.metaKey || event.ctrlKey) && !(event.target instanceof HTMLInputElement))
          change({ do: 'undo' });
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div className="row">
        <h2 className="b grow turn-title">{say.approvePlan}</h2>
        <span className="sm t3">
          {revision === undefined ? '' : `${say.revision(revision)} · `}
          {say.subTasks(planOf(draft).length)}
        </span>
      </div>
      <p className="t2 hint">{say.planHint}</p>
      {notice ? <p className="am sm">{notice}</p> : null}
      {stale ? <p className="am sm">{say.stale}</p> : null}
      <PlanRows
        draft={draft}
        change={change}
        busy={busy}
        addedTag={(text) => (revision !== undefined && revision > 1 && !known.includes(text) ? say.addedIn(revision) : '')}
      />
      {planOf(draft).length > Math.max(maxRows, tasks.length) ? (
        <p className="rd sm">{say.tooMany(Math.max(maxRows, tasks.length))}</p>
      ) : null}
      {wishing ? (
        <LineForm
          label={say.changePlaceholder}
          busy={busy}
          buttonLabel={say.revise}
          onSend={(feedback) => send({ type: 'REVISE', feedback })} // feedback never approves anything
          onClose={() => setWishing(false)}
        >
          <Icon name="right" />
        </LineForm>
      ) : null}
      <PlanActions
        draft={draft}
        busyWith={busy ? answer?.type : undefined}
        onApprove={approve}
        onWish={() => setWishing(!wishing)}
        onCancel={() => send({ type: 'CANCEL' })}
        onUndo={() => change({ do: 'undo' })}
      />
      <AnswerTrouble answer={answer} />
      <p className="sm t3 note">{say.editNote}</p>
    </section>
  );
}

interface PlanActionsProps {
  readonly draft: PlanDraft;
  /** Event that is being sent. */
  readonly busyWith: string | undefined;
  onApprove(): void;
  onWish(): void;
  onCancel(): void;
  onUndo(): void;
}

function PlanActions({ draft, busyWith, onApprove, onWish, onCancel, onUndo }: PlanActionsProps): ReactNode {
  const say = useWords();
  const busy = busyWith !== undefined;
  return (
    <div className="acts sticky">
      <button type="button" className="btn p" disabled={busy || !isSendable(draft)} onClick={onApprove} data-act="approve">
        {busyWith === 'APPROVE' || busyWith === 'EDIT' ? say.approving : say.approveGo}
        {busy ? null : <kbd>⌘↵</kbd>}
      </button>
      <button type="button" className="btn" disabled={busy} onClick={onWish} data-act="revise">
        {busyWith === 'REVISE' ? say.revising : say.revise}
        {busy ? null : <kbd>R</kbd>}
      </button>
      {draft.before.length > 0 && !busy ? (
        <button type="button" className="btn q" onClick={onUndo}>
          {say.undo}
        </button>
      ) : null}
      <span className="grow" />
      <button type="button" className="btn q" disabled={busy} onClick={onCancel} data-act="cancel">
        {busyWith === 'CANCEL' ? say.cancelling : say.cancel}
      </button>
    </div>
  );
}

const fieldsOfQuestion = (question: unknown): { readonly revision?: number; readonly notice?: string } => {
  const { revision, notice } = (question ?? {}) as { readonly revision?: unknown; readonly notice?: unknown };
  return { ...(typeof revision === 'number' ? { revision } : {}), ...(typeof notice === 'string' ? { notice } : {}) };
};

const tasksOf = (question: unknown): readonly string[] => {
  const { sub_tasks: tasks } = (question ?? {}) as { readonly sub_tasks?: unknown };
  return Array.isArray(tasks) ? tasks.map(String) : [];
};
