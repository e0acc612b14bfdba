import { type ReactNode, useId, useState } from 'react';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { asText, type FieldProblem, type FormEvent, type FormField, type FormTexts, own, readForm } from '../model/form-of-schema.ts';
import { useWords } from './studio-context.tsx';

interface EventFormProps {
  readonly event: FormEvent;
  readonly busy: boolean;
  /** Text of the button. */
  readonly children: ReactNode;
  onSend(fields: JsonObject): void;
}

/** The fields of one event, made from its JSON Schema. Nothing is sent before each of them can be read. */
export function EventForm({ event: { type, fields, intent }, busy, children, onSend }: EventFormProps): ReactNode {
  const [texts, setTexts] = useState<FormTexts>({});
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({});
  const send = (): void => {
    const read = readForm(fields, texts);
    if ('fields' in read) onSend(read.fields);
    else setProblems(read.problems);
  };
  return (
    <form
      className="fields"
      noValidate
      data-event={type}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) send();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || busy) return;
        event.preventDefault();
        event.stopPropagation();
        send();
      }}
    >
      {fields.map((field) => (
        <Field
          key={field.key}
          field={field}
          text={own(texts, field.key) ?? field.start}
          busy={busy}
          problem={own(problems, field.key)}
          onText={(text) => {
            setTexts({ ...texts, [field.key]: text });
            setProblems({});
          }}
        />
      ))}
      <button type="submit" className={intent === 'primary' ? 'btn p' : 'btn'} disabled={busy}>
        {children}
      </button>
    </form>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly text: string;
  readonly busy: boolean;
  readonly problem: FieldProblem | undefined;
  onText(text: string): void;
}

function Field({ field, problem, ...props }: FieldProps): ReactNode {
  const say = useWords();
  const id = useId();
  const { label, help, isRequired, control } = field;
  const notes = [isRequired || control === 'flag' ? '' : say.optional, control === 'lines' ? say.onePerLine : '', help ?? ''].filter(
    Boolean,
  );
  return (
    <div className="field">
      {/* the boxes have labels of their own */}
      {control === 'checks' ? <span id={`${id}-label`}>{label}</span> : <label htmlFor={id}>{label || say.eventFields}</label>}
      <FieldControl id={id} noteId={notes.length > 0 ? `${id}-note` : undefined} field={field} {...props} />
      {notes.length > 0 ? (
        <p className="t3 sm" id={`${id}-note`}>
          {notes.join(' · ')}
        </p>
      ) : null}
      {problem ? (
        <p className="rd sm" role="alert">
          {say[problem]}
        </p>
      ) : null}
    </div>
  );
}

interface ControlProps extends Omit<FieldProps, 'problem'> {
  readonly id: string;
  /** Absent: the field has no note. */
  readonly noteId: string | undefined;
}

const labelOf = (option: Json): string => (typeof option === 'string' ? option : asText(option));

const longControls: ReadonlySet<string> = new Set(['area', 'lines', 'json']);

function FieldControl({ id, noteId, field, text, busy, onText }: ControlProps): ReactNode {
  const { control, options, schema, isRequired } = field;
  const shared = { id, disabled: busy, 'aria-describedby': noteId, 'aria-required': isRequired };
  if (control === 'flag') {
    return <input {...shared} type="checkbox" checked={text === 'true'} onChange={({ target }) => onText(String(target.checked))} />;
  }
  if (control === 'choice') {
    return (
      <select {...shared} value={text} onChange={({ target }) => onText(target.value)}>
        {text === '' || !isRequired ? <option value="">–</option> : null}
        {options.map((option) => (
          <option key={asText(option)} value={asText(option)}>
            {labelOf(option)}
          </option>
        ))}
      </select>
    );
  }
  if (control === 'checks') return <Checks id={id} noteId={noteId} field={field} text={text} busy={busy} onText={onText} />;
  if (longControls.has(control)) {
    return (
      <textarea
        {...shared}
        className={control === 'json' ? 'mono' : ''}
        rows={Math.min(12, text.split('\n').length + 2)}
        value={text}
        spellCheck={control !== 'json'}
        onChange={({ target }) => onText(target.value)}
      />
    );
  }
  const { maxLength, minimum, maximum, type } = schema as { readonly [key: string]: number | undefined } & { readonly type?: string };
  return (
    <input
      {...shared}
      type={control}
      value={text}
      maxLength={maxLength}
      min={minimum}
      max={maximum}
      step={control !== 'number' ? undefined : type === 'integer' ? 1 : 'any'}
      onChange={({ target }) => onText(target.value)}
    />
  );
}

function Checks({ id, noteId, field: { options }, text, busy, onText }: ControlProps): ReactNode {
  const chosen: readonly Json[] = text === '' ? [] : JSON.parse(text);
  const isChosen = (option: Json): boolean => chosen.some((one) => asText(one) === asText(option));
  const toggle = (toggled: Json): void => onText(asText(options.filter((option) => isChosen(option) !== (option === toggled))));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out like the other fields
    <div role="group" aria-labelledby={`${id}-label`} aria-describedby={noteId}>
      {options.map((option) => (
        <label className="row" key={asText(option)}>
          <input type="checkbox" disabled={busy} checked={isChosen(option)} onChange={() => toggle(option)} />
          {labelOf(option)}
        </label>
      ))}
    </div>
  );
}
