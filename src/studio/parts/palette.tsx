import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { workflowName } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { focused } from './focused.ts';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';
import { operationsAddress, reviewAddress, useUi } from './ui-state.tsx';

interface Command {
  readonly name: string;
  readonly keys?: string;
  run(): void;
}

/** All commands of the page, found by typing. No command approves anything. */
export function Palette(): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands().filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  useEffect(() => {
    if (ui.palette) dialog.current?.showModal();
    else dialog.current?.close();
    setText('');
    setAt(0);
  }, [ui.palette]);
  const run = (command: Command | undefined): void => {
    change({ palette: false });
    command?.run();
  };
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(commands[at]);
    else if (step !== undefined) setAt((at + step + commands.length) % Math.max(1, commands.length));
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} className="palette" aria-label={say.commands} onClose={() => change({ palette: false })}>
      {ui.palette ? (
        <>
          <input
            ref={focused}
            role="combobox"
            aria-expanded="true"
            aria-controls="commands"
            aria-activedescendant={commands[at] ? `command-${at}` : undefined}
            value={text}
            placeholder={say.commandHint}
            aria-label={say.commandHint}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={keys}
          />
          <div id="commands" role="listbox" aria-label={say.commands}>
            {commands.map((command, index) => (
              <div
                key={command.name}
                id={`command-${index}`}
                role="option"
                aria-selected={index === at}
                className={index === at ? 'on' : ''}
                onClick={() => run(command)}
              >
                <span className="grow cut">{command.name}</span>
                {command.keys ? <kbd>{command.keys}</kbd> : null}
              </div>
            ))}
          </div>
        </>
      ) : null}
    </dialog>
  );
}

function useCommands(): readonly Command[] {
  const say = useWords();
  const studio = useStudio();
  const { ui, change, switchLanguage } = useUi();
  const workflows = useStudioState((state) => state.workflows);
  const threads = useStudioState((state) => state.threads);
  const newest = useStudioState(({ place }) => place.runIds.at(-1));
  const hasEvals = useStudioState((state) => state.hasEvals);
  const next = { auto: 'light', light: 'dark', dark: 'auto' } as const;
  const columns: readonly Command[] = [
    { name: say.search, keys: '/', run: () => document.getElementById('search')?.focus() },
    { name: say.machine, keys: 'M', run: () => change({ tab: 'machine', column: 'machine' }) },
    { name: say.sources, keys: 'S', run: () => change({ tab: 'sources', column: 'machine' }) },
    { name: say.turnTab, keys: 'Y', run: () => change({ tab: 'turn', column: 'machine' }) },
    { name: say.journal, keys: 'G', run: () => change({ tab: 'journal', column: 'machine' }) },
    { name: `${say.journal}: ${say.state}`, run: () => change({ tab: 'journal', section: 'state', column: 'machine' }) },
    { name: `${say.journal}: ${say.prompts}`, run: () => change({ tab: 'journal', section: 'prompts', column: 'machine' }) },
    { name: `${say.journal}: ${say.events}`, run: () => change({ tab: 'journal', section: 'events', column: 'machine' }) },
  ];
  const newThread = (workflow: string): void => {
    studio.newThread(workflow);
    if (ui.evals || ui.page) location.assign('#/');
  };
  return [
    ...workflows.map(({ id }) => ({ name: `${say.newThread}: ${workflowName(id)}`, run: () => newThread(id) })),
    ...(hasEvals ? [{ name: say.evals, keys: 'E', run: () => location.assign('#/evals') }] : []),
    { name: say.contractReview, run: () => location.assign(reviewAddress) },
    { name: say.operations, run: () => location.assign(operationsAddress) },
    ...(ui.evals || ui.page ? [] : columns),
    ...(newest ? [{ name: say.backToLive, keys: 'L', run: () => change({ held: undefined }) }] : []),
    { name: `${say.theme}: ${say.themes[next[ui.theme]]}`, run: () => change({ theme: next[ui.theme] }) },
    { name: say.language, run: switchLanguage },
    ...threads
      .slice(0, 30)
      .map(({ id, title }) => ({ name: `${say.open}: ${oneLine(title, 60)}`, run: () => location.assign(`#/t/${id}`) })),
  ];
}
