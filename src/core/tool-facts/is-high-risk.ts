import type { ToolSpec } from '../ports/tool.ts';

/** True unless the tool is declared low-risk. */
export const isHighRisk = ({ risk = 'low' }: Pick<ToolSpec, 'risk'>): boolean => risk !== 'low';
