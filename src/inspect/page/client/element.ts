type Child = Node | string | undefined;

/** Makes an element. Texts become text nodes: nothing that comes by the feed is ever read as HTML. */
export function element<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[TName] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (typeof value === 'string') made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A button that does something. */
export function button(
  label: string,
  act: () => void,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

/** Puts children in place of those that are there, but for those that say the same: focus and scrolling stay. */
export function replace(parent: Element, ...children: readonly Child[]): void {
  const next = element('div', {}, ...children);
  if (parent.innerHTML === next.innerHTML) return;
  const focused = document.activeElement instanceof HTMLElement && parent.contains(document.activeElement) ? document.activeElement.id : '';
  parent.replaceChildren(...next.childNodes);
  if (focused !== '') document.getElementById(focused)?.focus();
}
