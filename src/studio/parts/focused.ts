/** As `ref`: what has just come into the page to be written in, or to be pressed next, has the focus. */
export const focused = (element: HTMLElement | null): void => element?.focus();
