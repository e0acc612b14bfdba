import { describe, expect, it } from 'vitest';
import { type Paint, palettes } from '../../../../src/inspect/drawing/palette.ts';

const luminance = (colour: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (a: string, b: string): number => {
  const [dark, light] = [luminance(a), luminance(b)].sort((one, other) => one - other) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

describe.each(Object.entries(palettes))('palette: %s', (_, palette) => {
  const papers: readonly Paint[] = ['paper', 'group', 'region'];

  it('has readable letters on every background', () => {
    const pairs: readonly (readonly [Paint, readonly Paint[]])[] = [
      ['ink', ['state', 'waiting', 'active', ...papers]],
      ['soft', papers],
      ['errorInk', ['state', ...papers]],
      ['lit', papers],
    ];
    const low = pairs.flatMap(([ink, grounds]) =>
      grounds.filter((ground) => contrast(palette[ink], palette[ground]) < 4.5).map((ground) => [ink, ground]),
    );
    expect(low).toEqual([]);
  });

  it('has visible lines', () => {
    const lines: readonly Paint[] = ['edge', 'error', 'border', 'waitingBorder', 'lit'];
    const low = lines.flatMap((line) =>
      papers
        .filter((paper) => contrast(palette[line], palette[paper]) < 3)
        .map((paper) => [line, paper, contrast(palette[line], palette[paper])]),
    );
    expect(low).toEqual([]);
  });
});
