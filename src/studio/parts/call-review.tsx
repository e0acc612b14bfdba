import { type ReactNode, useState } from 'react';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import type { Answer } from '../../server/api/calls.ts';
import { workflowName } from '../model/format.ts';
import { visibleText } from '../model/visible-text.ts';
import { AnswerTrouble, isBusy } from './answer-line.tsx';
import { CodeText, jsonText } from './code-text.tsx';
import type { QuestionProps } from './decisions.tsx';
import { Icon } from './icon.tsx';
import { LineForm } from './line-form.tsx';
import { useStudio, useWords } from './studio-context.tsx';

/** A call that waits for approval, with its exact arguments. */
export function CallReview({ runId, workflow, interrupt, answer }: QuestionProps): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const question = (interrupt.question ?? {}) as CallQuestion;
  const { tool = '', arguments: args = {}, notice } = question;
  const [mode, setMode] = useState<Mode>('look');
  const busy = isBusy(answer);
  const send = (event: Answer['event']): void => void studio.answer(runId, interrupt.id, [event]);
  return (
    <section
      className="turn"
      aria-label={say.approveCallOf(visibleText(tool))}
      data-turn="call"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || busy || mode !== 'look') return;
        event.preventDefault();
        event.stopPropagation();
        send({ type: 'APPROVE' });
      }}
    >
      <div className="row">
        <span className="g am">
          <Icon name="wait" />
        </span>
        <h2 className="b grow turn-title">{say.approveCallOf(visibleText(tool))}</h2>
        <span className="sm t3">{workflowName(workflow)}</span>
      </div>
      <p className="t2 hint">{say.callHint}</p>
      {notice ? <p className="am sm">{notice}</p> : null}
      {mode === 'edit' ? (
        <ArgumentsEditor
          args={args}
          busy={busy}
          onSend={(edited) => send({ type: 'EDIT', arguments: edited })}
          onClose={() => setMode('look')}
        />
      ) : (
        <div className="code">
          <CodeText whole text={codeOf(args)} />
        </div>
      )}
      <CallFacts question={question} />
      {mode === 'refuse' ? (
        <LineForm
          label={say.refuseReason}
          busy={busy}
          onSend={(reason) => send({ type: 'REJECT', reason })}
          onClose={() => setMode('look')}
        >
          {say.refuse}
        </LineForm>
      ) : null}
      <CallActions
        mode={mode}
        setMode={setMode}
        canEdit={interrupt.accepts.includes('EDIT')}
        busyWith={busy ? answer?.type : undefined}
        onApprove={() => send({ type: 'APPROVE' })}
      />
      <AnswerTrouble answer={answer} />
    </section>
  );
}

type Mode = 'look' | 'edit' | 'refuse';

interface CallActionsProps {
  readonly mode: Mode;
  readonly canEdit: boolean;
  /** Event that is being sent. */
  readonly busyWith: string | undefined;
  setMode(mode: Mode): void;
  onApprove(): void;
}

function CallActions({ mode, setMode, canEdit, busyWith, onApprove }: CallActionsProps): ReactNode {
  const say = useWords();
  const busy = busyWith !== undefined;
  return (
    <div className="acts sticky">
      <button type="button" className="btn p" disabled={busy || mode === 'edit'} onClick={onApprove} data-act="approve">
        {busyWith === 'APPROVE' ? say.approving : say.approveCall}
        {busy ? null : <kbd>⌘↵</kbd>}
      </button>
      <button
        type="button"
        className="btn"
        disabled={busy}
        onClick={() => setMode(mode === 'refuse' ? 'look' : 'refuse')}
        data-act="refuse"
      >
        {busyWith === 'REJECT' ? say.refusing : say.refuse}
      </button>
      <span className="grow" />
      {canEdit ? (
        <button type="button" className="btn q" disabled={busy} onClick={() => setMode(mode === 'edit' ? 'look' : 'edit')} data-act="edit">
          {say.editCall}
        </button>
      ) : null}
    </div>
  );
}

function CallFacts({ question: { tool, reason, more } }: { readonly question: CallQuestion }): ReactNode {
  const say = useWords();
  return (
    <dl className="kv sm">
      <dt>{say.tool}</dt>
      <dd className="mono">{visibleText(tool ?? '')}</dd>
      {reason ? (
        <>
          <dt>{say.why}</dt>
          <dd>{visibleText(reason)}</dd>
        </>
      ) : null}
      {more ? (
        <>
          <dt>{say.more}</dt>
          <dd>{say.waitingCalls(more)}</dd>
        </>
      ) : null}
    </dl>
  );
}

interface CallQuestion {
  readonly tool?: string;
  readonly arguments?: JsonObject;
  readonly reason?: string;
  readonly notice?: string | null;
  readonly more?: number;
}

/** Shows a single text as code, anything else as JSON. */
export function codeOf(args: Json): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return jsonText(args);
  const [[name, only] = [], ...others] = Object.entries(args);
  return name === 'code' && typeof only === 'string' && others.length === 0 ? only : jsonText(args);
}

export function ArgumentsEditor({
  args,
  busy,
  onSend,
  onClose,
}: {
  readonly args: JsonObject;
  readonly busy: boolean;
  onSend(args: JsonObject): void;
  onClose(): void;
}): ReactNode {
  const say = useWords();
  const [text, setText] = useState(jsonText(args));
  const edited = objectIn(text);
  return (
    <div className="edit">
      <textarea
        value={text}
        rows={Math.min(14, text.split('\n').length + 1)}
        aria-label={say.arguments}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      {edited ? null : <p className="rd sm">{say.notJson}</p>}
      <button type="button" className="btn" disabled={busy || !edited} onClick={() => edited && onSend(edited)}>
        {say.sendArguments}
      </button>
    </div>
  );
}

export function objectIn(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
