import { useEffect } from 'react';
import { chipsOf } from '../model/chips-of.ts';
import { isField, shortcutOf } from '../model/keys.ts';
import type { RunState } from '../state/studio-state.ts';
import { useStudio } from './studio-context.tsx';
import { forkPoint } from './time.tsx';
import { type Tab, type Ui, useUi } from './ui-state.tsx';
import { walkedVerdict } from './walk.tsx';

const tabKeys: Readonly<Record<string, Tab>> = { m: 'machine', s: 'sources', y: 'turn', g: 'journal' };

/** Keyboard shortcuts of the whole page. No single key approves, cancels or resolves anything. */
export function useShortcuts(): void {
  const studio = useStudio();
  const { ui, change } = useUi();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const shortcut = shortcutOf(event);
      if (shortcut === '⌘k') change({ palette: !ui.palette });
      else if (event.defaultPrevented || ui.palette) return;
      else if (shortcut === 'Escape') leave();
      else if (isField(event.target) || !act(shortcut)) return;
      event.preventDefault();
    };
    const leave = (): void => {
      if (isField(document.activeElement) && document.activeElement instanceof HTMLElement) document.activeElement.blur();
      else change({ node: undefined, forking: undefined, held: undefined, walk: undefined });
    };
    const act = (shortcut: string): boolean => {
      const { place, runs, workflows } = studio.get();
      const run = runs[place.chosen ?? place.runIds.at(-1) ?? ''];
      const tab = tabKeys[shortcut];
      if (shortcut === 'e' && studio.get().hasEvals) location.assign('#/evals');
      else if ((ui.evals || ui.page) && shortcut !== 'n') return false;
      else if (tab) change({ tab, column: 'machine' });
      else if (shortcut === '/') focusOn('#search');
      else if (shortcut === 'n') {
        studio.newThread(place.workflow ?? workflows[0]?.id ?? '');
        if (ui.evals || ui.page) location.assign('#/');
      } else if (shortcut === 'l') change({ held: undefined });
      else if (shortcut === 'r') focusOn('[data-act="revise"]', true);
      else if (shortcut === '⌘Enter') focusOn('[data-act="approve"]');
      else if (ui.walk && /^[jk]$/.test(shortcut)) walk(ui.walk, shortcut === 'j' ? 1 : -1);
      else if (!run) return false;
      else if (/^⇧?[jk]$/.test(shortcut)) change({ held: heldAfter(run, ui.held, shortcut) });
      else if (shortcut === 't') change({ open: toggled(ui.open, run.id) });
      else if (shortcut === 'f') change({ tab: 'machine', forking: forkPoint(run, ui.held ?? Number.POSITIVE_INFINITY) });
      else if (shortcut === 'c' || shortcut === '⇧c') return cite(run, shortcut === 'c' ? 1 : -1);
      else return false;
      return true;
    };
    const walk = (at: NonNullable<Ui['walk']>, by: number): void => {
      const last = walkedVerdict(studio.get(), at)?.way?.steps.length ?? 0;
      change({ walk: { ...at, step: Math.min(last, Math.max(0, at.step + by)) } });
    };
    const cite = (run: RunState, step: number): boolean => {
      const chips = chipsOf(run.info?.output, run.log.view.sources);
      if (chips.length === 0) return false;
      const index = ui.citation?.runId === run.id ? (ui.citation.index + step + chips.length) % chips.length : 0;
      const chip = chips[index];
      if (chip) change({ tab: 'sources', citation: { runId: run.id, label: chip.label, quote: chip.quote, index } });
      return true;
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [studio, ui, change]);
}

function focusOn(selector: string, press = false): void {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  if (press) found?.click();
}

/** Next entry to show; with Shift, the next entry of a node. After the last one, the view is live again. */
function heldAfter({ entries }: RunState, held: number | undefined, shortcut: string): number | undefined {
  const stops = shortcut.startsWith('⇧') ? entries.filter(({ kind }) => kind === 'node') : entries;
  const at = held ?? entries.at(-1)?.seq ?? 0;
  const next = shortcut.endsWith('j') ? stops.find(({ seq }) => seq > at) : stops.findLast(({ seq }) => seq < at);
  if (!next) return shortcut.endsWith('j') ? undefined : held;
  return next.seq === entries.at(-1)?.seq ? undefined : next.seq;
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}
