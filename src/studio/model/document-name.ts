import type { DocumentSummary } from '../../server/api/calls.ts';
import { oneLine } from './one-line.ts';

/** Display name of a document: its title, else its file name. */
export const documentName = ({ title, name }: Pick<DocumentSummary, 'title' | 'name'>): string => oneLine(title || name, 120);
