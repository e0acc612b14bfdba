/** The conversation whose stored size is measured. All text is ASCII, so characters are bytes. */
export interface Shape {
  readonly questionBytes: number;
  readonly answerBytes: number;
}

export const shapes = {
  '600 B question, 600 B answer': { questionBytes: 600, answerBytes: 600 },
  '1,200 B question, 40 B answer': { questionBytes: 1_200, answerBytes: 40 },
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof shapes;

export const shapeNames: readonly ShapeName[] = Object.keys(shapes) as ShapeName[];

/** One side of a turn, as LangGraph.js and our thread keep it. */
export type Message = { readonly role: 'user' | 'assistant'; readonly content: string };

const words = 'the quick brown fox jumps over the lazy dog while seven wizards boil a vat of green ink ';

const textOf = (start: string, bytes: number): string => (start + words.repeat(Math.ceil(bytes / words.length))).slice(0, bytes);

export const questionOf = (turn: number, { questionBytes }: Shape): string => textOf(`Question ${turn}: `, questionBytes);

/** What the instant model answers to the question of a turn. */
export const answerTo = (question: string, { answerBytes }: Shape): string =>
  textOf(`Answer ${/\d+/.exec(question)?.[0] ?? ''}: `, answerBytes);

export const turnsOf = (count: number, shape: Shape): readonly (readonly [question: string, answer: string])[] =>
  Array.from({ length: count }, (_, index) => {
    const question = questionOf(index + 1, shape);
    return [question, answerTo(question, shape)];
  });

export const messagesOf = (count: number, shape: Shape): readonly Message[] =>
  turnsOf(count, shape).flatMap(([question, answer]): readonly Message[] => [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ]);
