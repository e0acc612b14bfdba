/** A workflow that answers about a document that its user gives. */
export const isAboutContracts = (workflow: string): boolean => workflow.replaceAll('-', '_') === 'contract_agent';
