/** True for a workflow that answers questions about an uploaded document. */
export const isAboutContracts = (workflow: string): boolean => workflow.replaceAll('-', '_') === 'contract_agent';
