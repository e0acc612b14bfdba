/** A type that no value has. TypeScript prints its message where a value is expected to have it. */
export interface WorkflowTypeError<TMessage extends string> {
  readonly 'agent-machines': TMessage;
}
