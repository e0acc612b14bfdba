import { english, type Words } from './words/english.ts';
import { korean } from './words/korean.ts';

export type { Words } from './words/english.ts';

export type Language = 'en' | 'ko';

export const words: Readonly<Record<Language, Words>> = { en: english, ko: korean };
