import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import catalogue from '../../../machines/guide-agent/examples/ai-services.json' with { type: 'json' };
import { openKnowledge } from '../../../machines/guide-agent/open-knowledge.ts';

describe('openKnowledge', () => {
  it('names the file and the position of an invalid entry', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalogues-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [first, second] = catalogue;
    writeFileSync(join(folder, 'a.json'), JSON.stringify([first]));
    writeFileSync(join(folder, 'b.json'), JSON.stringify([{ ...second, price: { ...second?.price, amount: -1 } }]));
    const file = join(folder, 'b.json');
    const open = () => openKnowledge({ files: () => [join(folder, 'a.json'), file] });
    await expect(open()).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: `"${file}": The catalogue cannot be used: [0].price.amount (-1): must be 0 or more.`,
    });
    writeFileSync(file, JSON.stringify([first]));
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('is also the id of [0]') });
    writeFileSync(file, JSON.stringify([second]));
    expect((await open()).services).toHaveLength(2);
  });

  it('rejects a folder without a catalogue', async () => {
    await expect(openKnowledge({ files: () => [] })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
