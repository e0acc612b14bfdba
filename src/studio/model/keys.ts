/** What a key press means to the studio; the letter as it is on the keyboard, whatever the language of the input. */
export function shortcutOf(event: Pick<KeyboardEvent, 'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>): string {
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  const key = letter ?? (event.code === 'Slash' && !event.shiftKey ? '/' : event.key);
  const command = event.metaKey || event.ctrlKey ? '⌘' : '';
  const shift = event.shiftKey && letter !== undefined ? '⇧' : '';
  return `${command}${event.altKey ? '⌥' : ''}${shift}${key}`;
}

/** Where letters are written: there they are no shortcuts. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
