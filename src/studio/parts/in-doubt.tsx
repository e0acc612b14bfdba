import { type ReactNode, useState } from 'react';
import type { Json } from '../../core/ports/json.ts';
import type { CallInDoubt } from '../../core/ports/run-event.ts';
import { asObject } from '../../core/util/as-object.ts';
import { isObject } from '../../core/util/is-object.ts';
import { jsonOrText } from '../../core/util/parse-json.ts';
import { exactTime } from '../model/format.ts';
import type { AnswerState } from '../state/studio-state.ts';
import { AnswerTrouble, isBusy } from './answer-line.tsx';
import { CodeText, jsonText } from './code-text.tsx';
import { Icon } from './icon.tsx';
import { LineForm } from './line-form.tsx';
import { useStudio, useWords } from './studio-context.tsx';

/** A call with an unknown outcome. No answer is more likely than another, so none is highlighted. */
export function InDoubt({
  runId,
  call,
  answer,
}: {
  readonly runId: string;
  readonly call: CallInDoubt;
  readonly answer: AnswerState | undefined;
}): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [asking, setAsking] = useState(false);
  const busy = isBusy(answer);
  const { tool, args } = partsOf(call);
  return (
    <section className="turn" aria-label={say.happened(tool)} data-turn="doubt">
      <div className="row">
        <span className="g am">
          <Icon name="ask" />
        </span>
        <h2 className="b grow turn-title">{say.happened(tool)}</h2>
        <span className="sm t3 mono">{call.callId}</span>
      </div>
      <p className="t2 hint">{say.happenedHint}</p>
      {call.ownerMayLive ? <p className="am sm">{say.mayLive}</p> : null}
      <div className="code">
        <CodeText whole text={`${tool} ${jsonText(args)}`} />
      </div>
      <dl className="kv sm">
        <dt>{say.started}</dt>
        <dd>{exactTime(call.startedAt)}</dd>
      </dl>
      {asking ? (
        <LineForm
          label={say.resultPrompt}
          busy={busy}
          maxLength={100_000}
          onSend={(returned) => void studio.resolve(runId, call.callId, { as: 'done', output: jsonOrText(returned) })}
          onClose={() => setAsking(false)}
        >
          {say.send}
        </LineForm>
      ) : null}
      <div className="acts">
        <button type="button" className="btn" disabled={busy} aria-expanded={asking} onClick={() => setAsking(!asking)} data-act="done">
          {say.didHappen}
        </button>
        <button
          type="button"
          className="btn"
          disabled={busy}
          onClick={() => void studio.resolve(runId, call.callId, { as: 'retry' })}
          data-act="retry"
        >
          {say.didNotHappen}
        </button>
        <span className="grow" />
        <button
          type="button"
          className="btn q"
          disabled={busy}
          onClick={() => void studio.resolve(runId, call.callId, { as: 'abort' })}
          data-act="abort"
        >
          {busy ? say.sending : say.abandonCall}
        </button>
      </div>
      <AnswerTrouble answer={answer} />
    </section>
  );
}

function partsOf({ describe, callId }: CallInDoubt): { readonly tool: string; readonly args: Json } {
  if (!isObject(describe)) return { tool: callId, args: describe };
  const { tool, args, arguments: given, input, ...rest } = asObject(describe);
  return { tool: typeof tool === 'string' ? tool : callId, args: args ?? given ?? input ?? rest };
}
