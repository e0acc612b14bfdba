import { type ReactNode, useState } from 'react';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { eventsOf, type FormEvent, inWords } from '../model/form-of-schema.ts';
import { visibleText } from '../model/visible-text.ts';
import { AnswerTrouble, isBusy } from './answer-line.tsx';
import { CodeText, jsonText } from './code-text.tsx';
import type { QuestionProps } from './decisions.tsx';
import { EventForm } from './event-form.tsx';
import { Icon } from './icon.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';

/** A question of any workflow: what it says, a button for each event, and a form for each event with fields. */
export function OtherQuestion({ runId, workflow, interrupt, answer }: QuestionProps): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const details = useStudioState((state) => state.details[workflow]);
  const { question = null, accepts, key } = interrupt;
  const events = eventsOf(accepts, details?.events ?? {}, question);
  const [opened, setOpened] = useState<string | undefined>();
  // the fields of the primary answer are open until another answer is chosen
  const open = events.find(({ type, intent }) => (opened === undefined ? intent === 'primary' : type === opened));
  const state = details?.graph.states.find(({ path }) => path === key.replace(/#.*/, ''));
  const title = isObject(question) && typeof question.title === 'string' ? question.title : (state?.description ?? say.yourDecision);
  const busy = isBusy(answer);
  const send = ({ type, constants }: FormEvent, fields = {}): void =>
    void studio.answer(runId, interrupt.id, [{ ...constants, ...fields, type }]);
  const labelOf = ({ type, label }: FormEvent): string => (busy && answer?.type === type ? say.sending : label);
  return (
    <section className="turn" aria-label={visibleText(title)} data-turn="other">
      <div className="row">
        <span className="g am">
          <Icon name="wait" />
        </span>
        <h2 className="b grow turn-title">{visibleText(title)}</h2>
      </div>
      <QuestionFacts question={question} />
      {open && open.fields.length > 0 ? (
        <EventForm key={open.type} event={open} busy={busy} onSend={(fields) => send(open, fields)}>
          {labelOf(open)}
        </EventForm>
      ) : null}
      <div className="acts">
        {events
          .filter((event) => event !== open || event.fields.length === 0)
          .map((event) => (
            <button
              key={event.type}
              type="button"
              className={event.intent === 'primary' ? 'btn p' : 'btn'}
              title={event.type}
              data-event={event.type}
              disabled={busy}
              onClick={() => (event.fields.length === 0 ? send(event) : setOpened(event.type))}
            >
              {labelOf(event)}
            </button>
          ))}
      </div>
      <AnswerTrouble answer={answer} />
    </section>
  );
}

/** A text as it is; the members of an object in rows; anything deeper as JSON. */
function QuestionFacts({ question }: { readonly question: Json }): ReactNode {
  if (question === null) return null;
  if (typeof question === 'string') return <p className="asked">{visibleText(question)}</p>;
  const rows = isObject(question) ? Object.entries(question as Readonly<Record<string, Json>>) : [];
  const isShort = rows.length > 0 && rows.every(([, value]) => isPlain(value));
  if (!isShort) {
    return (
      <div className="code">
        <CodeText whole text={jsonText(question)} />
      </div>
    );
  }
  return (
    <dl className="kv asked">
      {rows
        .filter(([name, value]) => name !== 'title' && value !== null)
        .map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
    </dl>
  );
}

const isPlain = (value: Json): boolean => !isObject(value) && (!Array.isArray(value) || value.every((one) => typeof one === 'string'));

function Fact({ name, value }: { readonly name: string; readonly value: Json }): ReactNode {
  return (
    <>
      <dt>{visibleText(inWords(name))}</dt>
      <dd>{visibleText(Array.isArray(value) ? value.join(', ') : String(value))}</dd>
    </>
  );
}
