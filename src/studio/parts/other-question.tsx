import { type ReactNode, useState } from 'react';
import { AnswerTrouble, isBusy } from './answer-line.tsx';
import { objectIn } from './call-review.tsx';
import { CodeText, jsonText } from './code-text.tsx';
import type { QuestionProps } from './decisions.tsx';
import { Icon } from './icon.tsx';
import { useStudio, useWords } from './studio-context.tsx';

/** A question of an unknown workflow, with the events that it accepts. */
export function OtherQuestion({ runId, interrupt, answer }: QuestionProps): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [fields, setFields] = useState('{}');
  const busy = isBusy(answer);
  const more = objectIn(fields);
  return (
    <section className="turn" aria-label={say.acceptedEvents} data-turn="other">
      <div className="row">
        <span className="g am">
          <Icon name="wait" />
        </span>
        <h2 className="b grow turn-title">{interrupt.key}</h2>
      </div>
      {interrupt.question === undefined || interrupt.question === null ? null : (
        <div className="code">
          <CodeText whole text={jsonText(interrupt.question)} />
        </div>
      )}
      <p className="t2 hint">{say.acceptedEvents}</p>
      <div className="edit">
        <textarea
          value={fields}
          rows={3}
          spellCheck={false}
          aria-label={say.eventFields}
          onChange={(event) => setFields(event.target.value)}
        />
        {more ? null : <p className="rd sm">{say.notJson}</p>}
      </div>
      <div className="acts">
        {interrupt.accepts.map((type) => (
          <button
            key={type}
            type="button"
            className="btn"
            disabled={busy || !more}
            onClick={() => void studio.answer(runId, interrupt.id, [{ ...more, type }])}
          >
            {busy && answer?.type === type ? say.sending : type}
          </button>
        ))}
      </div>
      <AnswerTrouble answer={answer} />
    </section>
  );
}
