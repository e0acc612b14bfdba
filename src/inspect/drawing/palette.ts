/** Purpose of a color. */
export type Paint =
  | 'paper'
  | 'ink'
  | 'soft'
  | 'state'
  | 'border'
  | 'group'
  | 'region'
  | 'edge'
  | 'error'
  | 'errorInk'
  | 'waiting'
  | 'waitingBorder'
  | 'active'
  | 'lit';

type Palette = Readonly<Record<Paint, string>>;

/** Text has a contrast of at least 4.5:1 with its background, lines at least 3:1. */
export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    paper: '#ffffff',
    ink: '#1f2937',
    soft: '#526077',
    state: '#f8fafc',
    border: '#7d8ba1',
    group: '#eff3f8',
    region: '#f8fafc',
    edge: '#64748b',
    error: '#cf7070',
    errorInk: '#b03a3a',
    waiting: '#fef3c7',
    waitingBorder: '#b96a06',
    active: '#dbeafe',
    lit: '#2563eb',
  },
  dark: {
    paper: '#0f141b',
    ink: '#e5e7eb',
    soft: '#9fadbf',
    state: '#1c2430',
    border: '#62748c',
    group: '#151c26',
    region: '#1a222d',
    edge: '#8b98a9',
    error: '#b0585f',
    errorInk: '#ec9a9a',
    waiting: '#3a2c0b',
    waitingBorder: '#d9a21b',
    active: '#17305a',
    lit: '#60a5fa',
  },
};

/** `auto` follows the reader's color scheme. */
export type Theme = 'light' | 'dark' | 'auto';

/** Writes colors as attributes, so a drawing needs no style sheet. With `auto`, classes add the dark colors. */
export type Painter = (colours: { readonly fill?: Paint; readonly stroke?: Paint }) => string;

export function createPainter(theme: Theme, prefix: string): Painter {
  const palette = palettes[theme === 'dark' ? 'dark' : 'light'];
  return ({ fill, stroke }) => {
    const classes = theme === 'auto' ? [fill && `${prefix}f-${fill}`, stroke && `${prefix}s-${stroke}`].filter(Boolean) : [];
    return [
      classes.length > 0 ? ` class="${classes.join(' ')}"` : '',
      ` fill="${fill ? palette[fill] : 'none'}"`,
      stroke ? ` stroke="${palette[stroke]}"` : '',
    ].join('');
  };
}

/** Returns the style sheet for the theme `auto`. */
export function autoStyle(prefix: string): string {
  const rules = Object.entries(palettes.dark).map(
    ([paint, colour]) => `.${prefix}f-${paint}{fill:${colour}}.${prefix}s-${paint}{stroke:${colour}}`,
  );
  return `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`;
}
