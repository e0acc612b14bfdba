import type { ToolSpec } from '../ports/tool.ts';

/** True for a tool that is not said to be of low risk. */
export const isHighRisk = ({ risk = 'low' }: Pick<ToolSpec, 'risk'>): boolean => risk !== 'low';
