/** Use as `ref`: focuses an element when it appears, such as a new input or the next button. */
export const focused = (element: HTMLElement | null): void => element?.focus();
