/** How many tokens a run says. */
export const tokenCount = 20;
/** The scripted model's time between two tokens, in milliseconds. */
const gapMs = 100;

/** A scripted model: says tokens at a fixed pace, each of them when it was said, by the clock that all processes of a machine have in common. */
export async function talk(say: (text: string) => void): Promise<string> {
  for (let number = 0; number < tokenCount; number++) {
    await new Promise((go) => setTimeout(go, gapMs));
    say(`@${process.hrtime.bigint()}@`);
  }
  return 'said';
}
