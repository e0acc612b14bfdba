import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Json } from '../../core/ports/json.ts';
import { asObject } from '../../core/util/as-object.ts';
import { sourcesOf } from '../model/answer-of.ts';
import { chipsOf } from '../model/chips-of.ts';
import { documentName } from '../model/document-name.ts';
import { isAboutContracts } from '../model/is-about-contracts.ts';
import { findQuote } from '../model/quote-spans.ts';
import { type ShownPart, shownParts } from '../model/shown-part.ts';
import { visibleText } from '../model/visible-text.ts';
import type { KnownDocument, RunState } from '../state/studio-state.ts';
import { CodeText, jsonText } from './code-text.tsx';
import { Compare } from './compare.tsx';
import { Icon } from './icon.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';
import { useUi } from './ui-state.tsx';

/** Text that an answer relies on: an outline, the article, and the quote marked in it. */
export function Sources({ run }: { readonly run: RunState | undefined }): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const runs = useStudioState((state) => state.runs);
  const runIds = useStudioState(({ place }) => place.runIds);
  // a citation of another thread does not apply here
  const citation = ui.citation && runIds.includes(ui.citation.runId) ? ui.citation : undefined;
  const shown = citation ? (runs[citation.runId] ?? run) : run;
  const parts = useParts(shown);
  const chips = shown ? chipsOf(shown.info?.output, shown.log.view.sources) : [];
  const [picked, setPicked] = useState<string>();
  const [seen, setSeen] = useState(citation);
  const [comparing, setComparing] = useState(false);
  const wanted = citation?.label ?? chips[0]?.label;
  const part = parts.find(({ id }) => id === picked) ?? partOf(parts, wanted) ?? parts[0];
  if (citation !== seen) {
    setSeen(citation);
    setPicked(undefined);
  }
  const document = useDocument(shown);
  if (parts.length === 0) return <PlainSources run={shown} />;
  const go = (step: number): void => {
    const index = ((citation?.index ?? -1) + step + chips.length) % chips.length;
    const next = chips[index];
    if (next && shown) change({ citation: { runId: shown.id, label: next.label, quote: next.quote, index } });
  };
  return (
    <>
      {document ? (
        <div className="row sm doc-head">
          <Icon name="page" />
          <span className="b cut grow">{documentName(document)}</span>
          <button type="button" className="link" aria-pressed={comparing} onClick={() => setComparing(!comparing)} data-act="compare">
            {say.compareWith}
          </button>
        </div>
      ) : null}
      {comparing && document ? (
        <Compare documentId={document.id} parts={parts} />
      ) : (
        <div className="art">
          <Outline parts={parts} chosen={part?.id} cited={chips.map(({ label }) => label)} onChoose={setPicked} />
          {part ? (
            <Article
              part={part}
              next={parts[parts.indexOf(part) + 1]}
              quote={picked === undefined || partOf(parts, wanted)?.id === picked ? citation?.quote : undefined}
            />
          ) : null}
        </div>
      )}
      {chips.length > 0 && !comparing ? (
        <div className="row sm cite-foot">
          <span className="t2 grow">{say.citation((citation?.index ?? 0) + 1, chips.length)}</span>
          <button type="button" className="btn q small" onClick={() => go(-1)}>
            <Icon name="left" />
            {say.previous}
          </button>
          <button type="button" className="btn q small" onClick={() => go(1)}>
            {say.next}
            <Icon name="right" />
          </button>
        </div>
      ) : null}
    </>
  );
}

/** Document of a run; for a thread without a run, the document of its first run. */
function useDocument(run: RunState | undefined): KnownDocument | undefined {
  const documents = useStudioState((state) => state.documents);
  const workflow = useStudioState(({ place }) => run?.workflow ?? place.workflow ?? '');
  if (!isAboutContracts(workflow)) return undefined;
  if (!run) return documents[0];
  const { contractId } = asObject(run.info?.input);
  return documents.find(({ name, addedAt }) => name === contractId && addedAt <= (run.info?.startedAt ?? 0));
}

/** Articles of the uploaded document, else those that the run has read. */
function useParts(run: RunState | undefined): readonly ShownPart[] {
  const studio = useStudio();
  const document = useDocument(run);
  const [whole, setWhole] = useState<readonly ShownPart[]>([]);
  const id = document?.id;
  useEffect(() => {
    if (id === undefined) {
      setWhole([]);
      return;
    }
    void studio.api.getDocument({ params: { id } }).then(
      (read) => setWhole(shownParts(read)),
      () => setWhole([]), // the outline is available already
    );
  }, [studio, id]);
  const entries = run?.entries;
  return useMemo(() => {
    if (whole.length > 0) return whole;
    if (document?.outline && document.outline.length > 0) return shownParts({ outline: document.outline });
    return articlesIn((entries ?? []).map(({ outcome }) => outcome));
  }, [whole, document, entries]);
}

/** Collects values that look like articles from tool outputs, without duplicates. */
function articlesIn(values: readonly Json[]): readonly ShownPart[] {
  const found = new Map<string, ShownPart>();
  const visit = (value: Json, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 6) return;
    if (Array.isArray(value)) {
      for (const one of value) visit(one, depth + 1);
      return;
    }
    const { id, label, title, text, chapter, deleted } = asObject(value);
    if (typeof id === 'string' && typeof label === 'string' && typeof text === 'string') {
      found.set(id, {
        id,
        label,
        title: typeof title === 'string' ? title : '',
        chapter: typeof chapter === 'string' ? chapter : '',
        deleted: deleted === true,
        text,
      });
    } else for (const one of Object.values(value)) visit(one as Json, depth + 1);
  };
  for (const value of values) visit(value, 0);
  return [...found.values()];
}

const partOf = (parts: readonly ShownPart[], label: string | undefined): ShownPart | undefined =>
  label === undefined
    ? undefined
    : parts.find((part) => part.label === label || label.startsWith(`${part.label} `) || label.startsWith(`${part.label}제`));

interface OutlineProps {
  readonly parts: readonly ShownPart[];
  readonly chosen: string | undefined;
  readonly cited: readonly string[];
  onChoose(id: string): void;
}

function Outline({ parts, chosen, cited, onChoose }: OutlineProps): ReactNode {
  const say = useWords();
  let before = '';
  return (
    <nav className="toc" aria-label={say.sources}>
      {parts.map(({ id, label, title, chapter, deleted }) => {
        const heads = chapter !== before && chapter !== '';
        before = chapter;
        return (
          <div key={id}>
            {heads ? <div className="ch cut">{visibleText(chapter)}</div> : null}
            <button
              type="button"
              className={`cut${id === chosen ? ' on' : ''}${deleted ? ' del' : ''}${cited.includes(label) ? ' ref' : ''}`}
              aria-current={id === chosen ? 'true' : undefined}
              onClick={() => onChoose(id)}
            >
              {visibleText(`${label} ${title}`)}
              {deleted ? ` (${say.deleted})` : ''}
            </button>
          </div>
        );
      })}
    </nav>
  );
}

function Article({
  part,
  next,
  quote,
}: {
  readonly part: ShownPart;
  readonly next: ShownPart | undefined;
  readonly quote: string | undefined;
}): ReactNode {
  const say = useWords();
  const mark = useRef<HTMLElement>(null);
  const text = part.text;
  const span = quote ? findQuote(text, quote) : undefined;
  useEffect(() => {
    if (span) mark.current?.scrollIntoView({ block: 'center' });
  }, [span]);
  return (
    <article className="text" tabIndex={0} aria-label={visibleText(part.label)}>
      {part.chapter ? <p className="sm t3">{visibleText(part.chapter)}</p> : null}
      <h3>
        {visibleText(part.label)}
        {part.title ? `(${visibleText(part.title)})` : ''}
      </h3>
      {quote && !span && text !== '' ? <p className="rd sm">{say.notInText}</p> : null}
      <p className="law">
        {span ? (
          <>
            {visibleText(text.slice(0, span.start))}
            <mark ref={mark}>{visibleText(text.slice(span.start, span.end))}</mark>
            {visibleText(text.slice(span.end))}
          </>
        ) : (
          visibleText(text)
        )}
      </p>
      {next?.text ? (
        <>
          <h3 className="off">
            {visibleText(next.label)}
            {next.title ? `(${visibleText(next.title)})` : ''}
          </h3>
          <p className="law off">{visibleText(next.text)}</p>
        </>
      ) : null}
    </article>
  );
}

/** Sources that are not articles, with their known details. */
function PlainSources({ run }: { readonly run: RunState | undefined }): ReactNode {
  const say = useWords();
  const sources = sourcesOf(run?.log.view.sources);
  if (sources.length === 0) return <p className="quiet">{say.noSource}</p>;
  return (
    <ul className="plain-sources">
      {sources.map(({ label, title, text }, index) => (
        <li key={`${index} ${label}`}>
          <p className="b">{visibleText(label)}</p>
          {title ? <p className="t2">{visibleText(title)}</p> : null}
          {text ? (
            <div className="unt">
              <span className="lab">{say.untrusted}</span>
              <CodeText text={jsonText(text)} />
            </div>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
