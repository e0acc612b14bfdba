/** Maximum number of contracts of a workflow. */
export const maxContracts = 500;
