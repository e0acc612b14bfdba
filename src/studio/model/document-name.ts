import type { DocumentSummary } from '../../api/calls.ts';
import { oneLine } from './one-line.ts';

/** What a document is called on the page: its title, else the name of its file. */
export const documentName = ({ title, name }: Pick<DocumentSummary, 'title' | 'name'>): string => oneLine(title || name, 120);
