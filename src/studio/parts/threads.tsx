import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { ThreadSummary } from '../../server/api/calls.ts';
import { isNotOffered, toFailure } from '../api/to-failure.ts';
import { clockTime, day, daysAgo, workflowName } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import { focused } from './focused.ts';
import { Icon, workflowIcon } from './icon.tsx';
import { useLanguage, useStudio, useStudioState, useWords } from './studio-context.tsx';
import { columnClass, operationsAddress, reviewAddress, useUi } from './ui-state.tsx';

/** Left column with all conversations, newest first. */
export function Threads(): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { ui, change } = useUi();
  const { threads, search, searchFailed, workflows, hasEvals } = useStudioState((state) => state);
  const first = workflows[0]?.id ?? '';
  return (
    <nav className={columnClass(ui, 'threads')} aria-label={say.threads}>
      <div className="head">
        <h1 className="b grow">agent-machines</h1>
        <button
          type="button"
          className="ib"
          aria-label={say.newThread}
          title={`${say.newThread} (N)`}
          onClick={() => {
            studio.newThread(first);
            change({ column: 'talk', held: undefined });
          }}
        >
          <Icon name="plus" />
        </button>
      </div>
      <div className="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          value={search}
          placeholder={say.search}
          aria-label={say.search}
          autoComplete="off"
          onChange={(event) => void studio.search(event.target.value)}
        />
        {search === '' ? <kbd>/</kbd> : null}
      </div>
      {hasEvals ? (
        <a className="row-link place" href="#/evals" title={`${say.evals} (E)`}>
          <Icon name="table" />
          {say.evals}
        </a>
      ) : null}
      <a className="row-link place" href={reviewAddress}>
        <Icon name="page" />
        {say.contractReview}
      </a>
      <a className="row-link place" href={operationsAddress}>
        <Icon name="run" />
        {say.operations}
      </a>
      <div className="list" onKeyDown={moveInList} tabIndex={-1}>
        {searchFailed ? <p className="quiet rd">{visibleText(searchFailed)}</p> : null}
        {threads.length === 0 ? <NoThreads search={search} /> : <Groups threads={threads} />}
      </div>
      <Foot />
    </nav>
  );
}

function NoThreads({ search }: { readonly search: string }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  if (search !== '') {
    return (
      <p className="quiet">
        {say.nothingWith(search)}{' '}
        <button type="button" className="link" onClick={() => void studio.search('')}>
          {say.clear}
        </button>
      </p>
    );
  }
  return (
    <p className="quiet">
      {say.noRuns}
      <br />
      {say.startHint} <code>agent-machines run plan-execute "1+1"</code>
    </p>
  );
}

function Groups({ threads }: { readonly threads: readonly ThreadSummary[] }): ReactNode {
  const say = useWords();
  const now = Date.now();
  const groups = [
    [say.today, (days: number) => days <= 0],
    [say.yesterday, (days: number) => days === 1],
    [say.earlier, (days: number) => days > 1],
  ] as const;
  return groups.map(([title, fits]) => {
    const own = threads.filter(({ updatedAt }) => fits(daysAgo(updatedAt, now)));
    if (own.length === 0) return null;
    return (
      <section key={title} aria-label={title}>
        <h2 className="grp-title">{title}</h2>
        <ul>
          {own.map((thread) => (
            <ThreadRow key={thread.id} thread={thread} />
          ))}
        </ul>
      </section>
    );
  });
}

function ThreadRow({ thread }: { readonly thread: ThreadSummary }): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const studio = useStudio();
  const { change } = useUi();
  const chosen = useStudioState(({ place }) => place.threadId === thread.id);
  const [editing, setEditing] = useState<boolean | 'ended'>(false);
  const { id, workflow, title, updatedAt, status, waiting } = thread;
  if (editing === true) return <RenameRow thread={thread} onDone={() => setEditing('ended')} />;
  const live = status === 'running' || status === 'queued';
  const word = waiting
    ? say.yourTurn
    : status === 'failed'
      ? say.failed
      : status === 'paused'
        ? say.paused
        : status === 'cancelled'
          ? say.cancelled
          : '';
  return (
    <li className={`th${chosen ? ' on' : ''}`}>
      <a
        className="row-link"
        ref={editing === 'ended' ? focused : undefined}
        href={`#/t/${id}`}
        aria-current={chosen ? 'page' : undefined}
        onClick={() => change({ column: 'talk', held: undefined })}
        onDoubleClick={() => setEditing(true)}
        onKeyDown={(event) => event.key === 'F2' && setEditing(true)}
      >
        <Icon name={workflowIcon(workflow)} />
        <span className="q cut">{oneLine(title, 120)}</span>
        {waiting ? (
          <span className="g am">
            <Icon name={status === 'in_doubt' ? 'ask' : 'wait'} />
          </span>
        ) : live ? (
          <span className="live" title={say.running} />
        ) : (
          <span />
        )}
        <span className="m">
          <span>{workflowName(workflow)}</span>
          <span>·</span>
          <span>{daysAgo(updatedAt, Date.now()) > 1 ? day(updatedAt, language) : clockTime(updatedAt, language)}</span>
          {word === '' ? null : (
            <>
              <span>·</span>
              <span className={waiting ? 'am' : status === 'failed' ? 'rd' : ''}>{word}</span>
            </>
          )}
        </span>
      </a>
      {chosen ? <RowMenu threadId={id} onRename={() => setEditing(true)} onRemove={() => studio.removeThread(id)} /> : null}
    </li>
  );
}

function RowMenu({ threadId, onRename, onRemove }: { readonly threadId: string; onRename(): void; onRemove(): Promise<void> }): ReactNode {
  const say = useWords();
  const [sure, setSure] = useState(false);
  const [trouble, setTrouble] = useState('');
  const remove = (): void => {
    setSure(false);
    onRemove().catch((cause: unknown) => setTrouble(isNotOffered(cause) ? say.notOffered : toFailure(cause).message));
  };
  return (
    <div className="row-menu sm" key={threadId}>
      {sure ? (
        <>
          <button type="button" className="link rd" onClick={remove}>
            {say.confirmRemove}
          </button>
          <button type="button" className="link" onClick={() => setSure(false)}>
            {say.keep}
          </button>
        </>
      ) : (
        <>
          <button type="button" className="link" onClick={onRename}>
            {say.rename}
          </button>
          <button type="button" className="link" onClick={() => setSure(true)}>
            {say.remove}
          </button>
        </>
      )}
      {trouble ? (
        <span className="rd" role="alert">
          {visibleText(trouble)}
        </span>
      ) : null}
    </div>
  );
}

function RenameRow({ thread, onDone }: { readonly thread: ThreadSummary; onDone(): void }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [title, setTitle] = useState(thread.title);
  const [trouble, setTrouble] = useState('');
  const save = async (): Promise<void> => {
    try {
      if (title.trim() !== '' && title !== thread.title) await studio.rename(thread.id, title.trim());
      onDone();
    } catch (cause) {
      setTrouble(isNotOffered(cause) ? say.notOffered : toFailure(cause).message);
    }
  };
  return (
    <form
      className="th rename"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={focused}
        value={title}
        aria-label={say.rename}
        maxLength={120}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      {trouble ? <span className="sm rd">{visibleText(trouble)}</span> : null}
    </form>
  );
}

/** Model, theme and language. */
export function Foot(): ReactNode {
  const say = useWords();
  const model = useStudioState((state) => state.model);
  const { ui, change } = useUi();
  const next = { auto: 'light', light: 'dark', dark: 'auto' } as const;
  return (
    <div className="foot">
      <span className="grow cut">{model ? (model.offline ? say.rules : model.name) : say.localOnly}</span>
      <button type="button" className="link" title={say.theme} onClick={() => change({ theme: next[ui.theme] })}>
        {say.themes[ui.theme]}
      </button>
      <LanguageSwitch />
    </div>
  );
}

function LanguageSwitch(): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const { switchLanguage } = useUi();
  return (
    <button type="button" className="lang" onClick={switchLanguage} aria-label={`한 EN: ${say.language}`} title={say.language}>
      <span className={language === 'ko' ? 'b' : ''}>한</span> <span className={language === 'en' ? 'b' : ''}>EN</span>
    </button>
  );
}

/** Arrow keys move through the list; Enter opens an item, like any link. */
export function moveInList(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step !== 0) focusLink(event, step);
}

/** Focuses the link so many places behind the focused one, and returns it. */
export function focusLink(event: KeyboardEvent<HTMLElement>, step: number): HTMLElement | undefined {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const next = links[links.findIndex((link) => link.contains(document.activeElement)) + step];
  if (next) event.preventDefault();
  next?.focus();
  return next;
}
