import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { oneLine } from '../model/one-line.ts';
import type { Language } from '../model/words.ts';
import type { Studio } from '../state/create-studio.ts';
import { Conversation } from './conversation.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Palette } from './palette.tsx';
import { RightColumn } from './right-column.tsx';
import { StudioContext, useStudio, useStudioState, useWords } from './studio-context.tsx';
import { Threads } from './threads.tsx';
import { columnClass, evalPlaceOf, type OwnPage, ownPageOf, type Theme, themes, type Ui, UiContext, useUi } from './ui-state.tsx';
import { useShortcuts } from './use-shortcuts.ts';

const Evals = lazy(() => import('./evals.tsx'));
const ownPages: Readonly<Record<OwnPage, ComponentType>> = {
  review: lazy(() => import('./review.tsx')),
  operations: lazy(() => import('./operations.tsx')),
};

const start: Ui = { tab: 'machine', section: 'entries', open: new Set(), palette: false, theme: 'auto', column: 'talk' };

export function App({ studio }: { readonly studio: Studio }): ReactNode {
  const [language, setLanguage] = useState<Language>(
    () => remembered('language', ['en', 'ko']) ?? (navigator.language.startsWith('ko') ? 'ko' : 'en'),
  );
  const [ui, setUi] = useState<Ui>(() => ({ ...start, theme: remembered('theme', themes) ?? 'auto' }));
  const change = useCallback((more: Partial<Ui>) => setUi((now) => ({ ...now, ...more })), []);
  const switchLanguage = useCallback(() => setLanguage((now) => (now === 'en' ? 'ko' : 'en')), []);
  useEffect(() => {
    document.documentElement.lang = language;
    remember('language', language);
  }, [language]);
  useEffect(() => {
    showTheme(ui.theme);
  }, [ui.theme]);
  const context = useMemo(() => ({ studio, language }), [studio, language]);
  const uiContext = useMemo(() => ({ ui, change, switchLanguage }), [ui, change, switchLanguage]);
  return (
    <StudioContext value={context}>
      <UiContext value={uiContext}>
        <ErrorBoundary panel="page">
          <Columns />
        </ErrorBoundary>
      </UiContext>
    </StudioContext>
  );
}

function Columns(): ReactNode {
  useShortcuts();
  useAddress();
  useTitle();
  const { ui } = useUi();
  const threadId = useStudioState(({ place }) => place.threadId);
  const OwnPage = ui.page && ownPages[ui.page];
  if (ui.evals || OwnPage) {
    return (
      <div className="app">
        <ErrorBoundary panel={ui.page ?? 'evals'} resetOn={ui.evals ?? ui.page}>
          <Suspense>{ui.evals ? <Evals place={ui.evals} /> : OwnPage ? <OwnPage /> : null}</Suspense>
        </ErrorBoundary>
        <ErrorBoundary panel="commands">
          <Palette />
        </ErrorBoundary>
      </div>
    );
  }
  return (
    <div className="app">
      <ErrorBoundary panel="threads" className={columnClass(ui, 'threads')}>
        <Threads />
      </ErrorBoundary>
      <ErrorBoundary panel="conversation" className={columnClass(ui, 'talk')} resetOn={threadId}>
        <Conversation />
      </ErrorBoundary>
      <ErrorBoundary panel="right column" className={columnClass(ui, 'machine')} resetOn={threadId}>
        <RightColumn />
      </ErrorBoundary>
      <ErrorBoundary panel="commands">
        <Palette />
      </ErrorBoundary>
    </div>
  );
}

/** Keeps the thread or the eval in the URL, so that a reload or a link returns to it. */
function useAddress(): void {
  const studio = useStudio();
  const { ui, change } = useUi();
  const isElsewhere = ui.evals !== undefined || ui.page !== undefined;
  const ready = useStudioState((state) => state.ready);
  const threadId = useStudioState(({ place }) => place.threadId);
  useEffect(() => {
    if (!ready) return undefined;
    const go = (): void => {
      const id = /^#\/t\/([\w-]{1,64})$/.exec(location.hash)?.[1];
      const { place, workflows } = studio.get();
      const evals = evalPlaceOf(location.hash);
      const page = ownPageOf(location.hash);
      if (page) change({ evals, page, column: 'threads' });
      else change(evals?.id === undefined ? { evals, page } : { evals, page, column: evals.case === undefined ? 'talk' : 'machine' });
      if (id) void studio.openThread(id);
      else if (!place.workflow) studio.newThread(workflows[0]?.id ?? '');
    };
    go();
    addEventListener('hashchange', go);
    return () => removeEventListener('hashchange', go);
  }, [studio, ready, change]);
  useEffect(() => {
    if (!ready || isElsewhere || evalPlaceOf(location.hash) || ownPageOf(location.hash)) return;
    const wanted = threadId ? `#/t/${threadId}` : '#/';
    if (location.hash !== wanted) history.replaceState(null, '', wanted);
  }, [ready, threadId, isElsewhere]);
}

function useTitle(): void {
  const say = useWords();
  const { evals, page } = useUi().ui;
  const thread = useStudioState(({ threads, place }) => threads.find(({ id }) => id === place.threadId)?.title);
  const waiting = useStudioState((state) => state.waiting.length);
  const name = evals ? say.evals : page === 'review' ? say.contractReview : page ? say.operations : thread;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name === undefined ? 'agent-machines' : oneLine(name, 120)}`;
  }, [name, waiting]);
}

function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  remember('theme', theme);
}

/** Reads a choice that the user made earlier in this browser. */
function remembered<T extends string>(name: string, known: readonly T[]): T | undefined {
  try {
    return known.find((one) => one === localStorage.getItem(`studio.${name}`));
  } catch {
    return undefined; // storage is not available
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`studio.${name}`, value);
  } catch {
    // storage is not available
  }
}
