import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { type PlanChange, type PlanDraft, type PlanRow, planProblems } from '../model/plan-draft.ts';
import { visibleText } from '../model/visible-text.ts';
import { focused } from './focused.ts';
import { Icon } from './icon.tsx';
import { useWords } from './studio-context.tsx';

interface PlanRowsProps {
  readonly draft: PlanDraft;
  readonly busy: boolean;
  change(change: PlanChange): void;
  /** Tag of a row that the earlier revision did not have. */
  addedTag(text: string): string;
}

/** Rows of a plan: drag, edit in place, remove, restore, add. */
export function PlanRows({ draft, busy, change, addedTag }: PlanRowsProps): ReactNode {
  const say = useWords();
  const [editing, setEditing] = useState<number>();
  const [dragged, setDragged] = useState<number>();
  const problems = planProblems(draft);
  const add = (): void => {
    setEditing(Math.max(-1, ...draft.rows.map(({ id }) => id)) + 1);
    change({ do: 'add', text: '' });
  };
  let number = 0;
  return (
    <div className="plan">
      <ol>
        {draft.rows.map((row, index) => {
          if (!row.removed) number++;
          return (
            <Row
              key={row.id}
              row={row}
              index={index}
              number={row.removed ? undefined : number}
              editing={editing === row.id}
              dragged={dragged === row.id}
              busy={busy}
              problem={row.id === editing ? undefined : problems.get(row.id)}
              tag={row.added ? say.added : addedTag(row.text)}
              change={change}
              onEdit={(on) => setEditing(on ? row.id : undefined)}
              onDrag={(state) => {
                if (state === 'start') setDragged(row.id);
                else if (state === 'end') setDragged(undefined);
                else if (dragged !== undefined && dragged !== row.id) change({ do: 'move', id: dragged, to: index });
              }}
            />
          );
        })}
      </ol>
      <button type="button" className="pi add" disabled={busy} onClick={add}>
        <span />
        <Icon name="plus" />
        <span className="t2">{say.addRow}</span>
      </button>
    </div>
  );
}

interface RowProps {
  readonly row: PlanRow;
  readonly index: number;
  readonly number: number | undefined;
  readonly editing: boolean;
  readonly dragged: boolean;
  readonly busy: boolean;
  readonly problem: 'blank' | 'long' | 'twice' | undefined;
  readonly tag: string;
  change(change: PlanChange): void;
  onEdit(on: boolean): void;
  onDrag(state: 'start' | 'over' | 'end'): void;
}

function Row({ row, index, number, editing, dragged, busy, problem, tag, change, onEdit, onDrag }: RowProps): ReactNode {
  const say = useWords();
  const keys = (event: KeyboardEvent): void => {
    const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
    if (step !== undefined) change({ do: 'move', id: row.id, to: index + step });
    else if (event.key === 'Backspace' && !editing) change({ do: 'remove', id: row.id });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const classes = ['pi', editing && 'ed', dragged && 'drag', row.removed && 'gone', problem && 'bad'];
  return (
    <li
      className={classes.filter(Boolean).join(' ')}
      draggable={!busy && !editing && !row.removed}
      onDragStart={() => onDrag('start')}
      onDragEnd={() => onDrag('end')}
      onDragOver={(event) => event.preventDefault()}
      onDragEnter={() => onDrag('over')}
      onKeyDown={busy ? undefined : keys}
    >
      <button
        type="button"
        className="h"
        disabled={busy || row.removed}
        aria-label={say.moveRow(number ?? 0)}
        title={say.moveRow(number ?? 0)}
      >
        <Icon name="grip" />
      </button>
      <span className="no">{number ?? ''}</span>
      {editing ? (
        <RowField row={row} change={change} onDone={() => onEdit(false)} />
      ) : (
        <button type="button" className="f" disabled={busy || row.removed} onClick={() => onEdit(true)}>
          {visibleText(row.text) || say.newRow}
        </button>
      )}
      <span className="tag">{problem ? <span className="rdx">{say.problem[problem]}</span> : row.removed ? say.removed : tag}</span>
      <button
        type="button"
        className="x"
        disabled={busy}
        aria-label={row.removed ? say.restoreRow : say.removeRow}
        title={row.removed ? say.restoreRow : say.removeRow}
        onClick={() => change({ do: row.removed ? 'restore' : 'remove', id: row.id })}
      >
        <Icon name={row.removed ? 'again' : 'cross'} />
      </button>
    </li>
  );
}

function RowField({ row, change, onDone }: { readonly row: PlanRow; change(change: PlanChange): void; onDone(): void }): ReactNode {
  const say = useWords();
  const [text, setText] = useState(row.text);
  const keep = (): void => {
    if (row.added && text.trim() === '') change({ do: 'remove', id: row.id });
    else change({ do: 'edit', id: row.id, text });
    onDone();
  };
  return (
    <input
      className="f"
      ref={focused}
      value={text}
      maxLength={300}
      aria-label={row.added ? say.newRow : row.text}
      onChange={(event) => setText(event.target.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return; // Enter first completes a Korean syllable
        if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey) keep();
        else if (event.key === 'Escape') {
          if (row.added && row.text === '') change({ do: 'remove', id: row.id });
          onDone();
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
