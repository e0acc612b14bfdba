import { type ReactNode, useState } from 'react';
import type { JsonObject } from '../../core/ports/json.ts';
import { workflowName } from '../model/format.ts';
import { visibleText } from '../model/visible-text.ts';
import { AnswerTrouble, isBusy } from './answer-line.tsx';
import { ArgumentsEditor, codeOf } from './call-review.tsx';
import { CodeText } from './code-text.tsx';
import type { QuestionProps } from './decisions.tsx';
import { Icon } from './icon.tsx';
import { LineForm } from './line-form.tsx';
import { useStudio, useWords } from './studio-context.tsx';

/** A call of a question about several. */
export interface ShownCall {
  readonly key: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly reason?: string;
  readonly notice?: string | null;
}

type Decision = 'approve' | { readonly reject: string } | { readonly arguments: JsonObject };

/** Several calls that wait for approval: each is decided, and one answer sends all decisions. */
export function CallsReview({
  runId,
  workflow,
  interrupt,
  answer,
  calls,
}: QuestionProps & { readonly calls: readonly ShownCall[] }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [decisions, setDecisions] = useState<ReadonlyMap<string, Decision>>(new Map());
  const busy = isBusy(answer);
  const send = (decided: Readonly<Record<string, Decision>>): void =>
    void studio.answer(runId, interrupt.id, [{ type: 'DECIDE', decisions: decided }]);
  const open = calls.filter(({ key }) => !decisions.has(key)).length;
  return (
    <section className="turn" aria-label={say.callsWait(calls.length)} data-turn="calls">
      <div className="row">
        <span className="g am">
          <Icon name="wait" />
        </span>
        <h2 className="b grow turn-title">{say.callsWait(calls.length)}</h2>
        <span className="sm t3">{workflowName(workflow)}</span>
      </div>
      <p className="t2 hint">{say.callsHint}</p>
      {calls.map((call) => (
        <OneCall
          key={call.key}
          call={call}
          busy={busy}
          decision={decisions.get(call.key)}
          onDecide={(decision) => setDecisions(new Map([...decisions, [call.key, decision]]))}
        />
      ))}
      <div className="acts sticky">
        <button
          type="button"
          className="btn p"
          disabled={busy || open > 0}
          onClick={() => send(Object.fromEntries(decisions))}
          data-act="decide"
        >
          {busy ? say.approving : say.sendDecisions}
        </button>
        <button
          type="button"
          className="btn"
          disabled={busy}
          onClick={() => send(Object.fromEntries(calls.map(({ key }) => [key, 'approve'])))}
          data-act="approve-all"
        >
          {say.approveAll}
        </button>
      </div>
      <AnswerTrouble answer={answer} />
    </section>
  );
}

interface OneCallProps {
  readonly call: ShownCall;
  readonly busy: boolean;
  readonly decision: Decision | undefined;
  onDecide(decision: Decision): void;
}

function OneCall({ call: { key, tool, arguments: args, reason, notice }, busy, decision, onDecide }: OneCallProps): ReactNode {
  const say = useWords();
  const [mode, setMode] = useState<'look' | 'edit' | 'refuse'>('look');
  const isRefused = typeof decision === 'object' && 'reject' in decision;
  const edited = typeof decision === 'object' && 'arguments' in decision ? decision.arguments : undefined;
  const decide = (made: Decision): void => {
    onDecide(made);
    setMode('look');
  };
  return (
    <div className="one-call" data-call={key}>
      <div className="row">
        <span className="mono grow">{visibleText(tool)}</span>
        <button
          type="button"
          className="btn"
          aria-pressed={decision === 'approve'}
          disabled={busy}
          onClick={() => decide('approve')}
          data-act="approve-one"
        >
          {say.approveCall}
        </button>
        <button
          type="button"
          className="btn"
          aria-pressed={isRefused}
          disabled={busy}
          onClick={() => setMode('refuse')}
          data-act="refuse-one"
        >
          {say.refuse}
        </button>
        <button type="button" className="btn q" aria-pressed={edited !== undefined} disabled={busy} onClick={() => setMode('edit')}>
          {say.editCall}
        </button>
      </div>
      {notice ? <p className="am sm">{notice}</p> : null}
      {mode === 'edit' ? (
        <ArgumentsEditor
          args={edited ?? args}
          busy={busy}
          onSend={(changed) => decide({ arguments: changed })}
          onClose={() => setMode('look')}
        />
      ) : (
        <div className="code">
          <CodeText whole text={codeOf(edited ?? args)} />
        </div>
      )}
      {mode === 'refuse' ? (
        <LineForm label={say.refuseReason} busy={busy} onSend={(why) => decide({ reject: why })} onClose={() => setMode('look')}>
          {say.refuse}
        </LineForm>
      ) : null}
      {isRefused ? <p className="rd sm">{visibleText(decision.reject)}</p> : null}
      {reason ? <p className="t3 sm">{visibleText(reason)}</p> : null}
    </div>
  );
}
