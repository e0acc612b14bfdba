import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react';
import type { Language, Words } from '../model/words.ts';
import { words } from '../model/words.ts';
import type { Studio } from '../state/create-studio.ts';
import type { StudioState } from '../state/studio-state.ts';

/** Objects available to every part of the page. */
export interface StudioContext {
  readonly studio: Studio;
  readonly language: Language;
}

export const StudioContext = createContext<StudioContext | undefined>(undefined);

function useContextValue(): StudioContext {
  const value = use(StudioContext);
  if (!value) throw new Error('A hook of the studio is called outside of the studio.');
  return value;
}

export const useStudio = (): Studio => useContextValue().studio;
export const useLanguage = (): Language => useContextValue().language;
export const useWords = (): Words => words[useContextValue().language];

/** Selects a part of the page's state. The selected object must stay identical while nothing in it changes. */
export function useStudioState<T>(pick: (state: StudioState) => T): T {
  const studio = useStudio();
  return useSyncExternalStore(studio.subscribe, () => pick(studio.get()));
}

/** Current time, updated regularly while `ticking` is true. */
export function useNow(ticking: boolean, everyMs = 100): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [ticking, everyMs]);
  return now;
}
