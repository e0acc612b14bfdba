import type { ReactNode } from 'react';
import type { ContractReview, ReviewDeadline, ReviewFinding, ReviewPassage } from '../../contracts/review/contract-review.ts';
import { reviewWords } from '../../contracts/review/review-words.ts';
import { toCalendar } from '../../contracts/review/to-calendar.ts';
import { visibleText } from '../model/visible-text.ts';
import { useWords } from './studio-context.tsx';

interface ReviewReportProps {
  readonly review: ContractReview;
  /** Called with the chosen party, or without one. */
  onSide(as: string | undefined): void;
}

/** A review: clauses first, then dates, money, duties and absent points. */
export function ReviewReport({ review, onSide }: ReviewReportProps): ReactNode {
  const say = useWords();
  const words = reviewWords[review.language];
  const { parties, term, findings, deadlines, money, duties, absent, notes } = review;
  const hasDates = term.start !== undefined || term.end !== undefined || deadlines.some(({ date }) => date !== undefined);
  return (
    <div className="evals review">
      <div className="picks">
        <span className="t2">
          {visibleText(review.typeTitle)} · {say.reviewByRules}
        </span>
        <label className="version-pick">
          <span className="sm">{say.reviewSide}</span>
          <select value={review.as ?? ''} onChange={(event) => onSide(event.target.value === '' ? undefined : event.target.value)}>
            <option value="">{say.reviewNoSide}</option>
            {parties.map(({ role, name }) => (
              <option key={role} value={role}>
                {visibleText(name === undefined ? role : `${role} (${name})`)}
              </option>
            ))}
          </select>
        </label>
        {hasDates ? (
          <button type="button" className="btn small" onClick={() => download(review)}>
            {say.reviewCalendar} (.ics)
          </button>
        ) : null}
      </div>
      <Part title={`${words.findings} (${findings.length})`}>
        {findings.length === 0 ? <p className="t2">{words.noFindings}</p> : null}
        {findings.map((finding) => (
          <Finding key={`${finding.kind} ${finding.passage.label} ${finding.passage.text}`} finding={finding} language={review.language} />
        ))}
      </Part>
      <Part title={words.dates}>
        {term.start === undefined && term.end === undefined ? null : (
          <p>
            {words.term}: {term.start ?? '?'} – {term.end ?? '?'} <span className="t2">{visibleText(term.rule ?? '')}</span>
          </p>
        )}
        <ul className="review-list">
          {deadlines.map((deadline, index) => (
            <Deadline key={index} deadline={deadline} today={review.today} past={words.past} />
          ))}
        </ul>
      </Part>
      <Part title={words.money}>
        <List items={money.map(({ text, purpose, passage }) => ({ text: `${text} · ${purpose}`, passage }))} />
      </Part>
      <Part title={words.duties}>
        {duties.map(({ who, passages }) => (
          <details key={who ?? ''}>
            <summary>
              {visibleText(who === undefined ? words.notClear : who === 'both' ? words.both : who)} ({passages.length})
            </summary>
            <List items={passages.map((passage) => ({ text: passage.text, passage }))} />
          </details>
        ))}
      </Part>
      <Part title={`${words.absent} (${absent.length})`}>
        <ul className="review-list">
          {absent.map(({ point, title }) => (
            <li key={point}>{title}</li>
          ))}
        </ul>
      </Part>
      <p className="t2 sm">{notes.join(' ')}</p>
    </div>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <section aria-label={title}>
    <h3 className="b">{title}</h3>
    {children}
  </section>
);

function List({ items }: { readonly items: readonly { readonly text: string; readonly passage: ReviewPassage }[] }): ReactNode {
  return (
    <ul className="review-list">
      {items.map(({ text, passage }, index) => (
        <li key={index}>
          {visibleText(text)} <span className="t2 sm">{visibleText(passage.label)}</span>
        </li>
      ))}
    </ul>
  );
}

function Finding({ finding, language }: { readonly finding: ReviewFinding; readonly language: ContractReview['language'] }): ReactNode {
  const words = reviewWords[language];
  const { title, burdens, side, confidence, passage, reason } = finding;
  const whom = burdens === undefined ? words.notClear : burdens === 'both' ? words.both : words.burdens(burdens);
  const more = [passage.label, whom, ...(side === undefined || side === 'both' ? [] : [words[side]]), words[confidence]];
  return (
    <article className="review-finding">
      <p>
        <span className={side === 'against' ? 'b rd' : 'b'}>{title}</span> <span className="t2 sm">{visibleText(more.join(' · '))}</span>
      </p>
      <blockquote>{visibleText(passage.text)}</blockquote>
      <p className="t2">{reason}</p>
    </article>
  );
}

interface DeadlineProps {
  readonly deadline: ReviewDeadline;
  readonly today: string | undefined;
  readonly past: string;
}

function Deadline({ deadline: { date, who, what, passage, rule, note }, today, past }: DeadlineProps): ReactNode {
  const isPast = date !== undefined && today !== undefined && date < today;
  return (
    <li>
      <span className="b">{date ?? '–'}</span>
      {isPast ? ` (${past})` : ''} {visibleText(who === undefined ? what : `${who}: ${what}`)}{' '}
      <span className="t2 sm">
        {visibleText(passage.label)} · {visibleText([rule, note].filter(Boolean).join(' '))}
      </span>
    </li>
  );
}

/** Saves the dates as a file. */
function download(review: ContractReview): void {
  const calendar = toCalendar(review, { now: new Date() });
  if (calendar === undefined) return;
  const url = URL.createObjectURL(new Blob([calendar], { type: 'text/calendar' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'contract.ics';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
