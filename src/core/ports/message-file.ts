/** An image or another file of a user's message or a tool's result, with its content; stored with the message. */
export interface MessageFile {
  /** IANA media type, for example `image/png` or `application/pdf`. */
  readonly mediaType: string;
  /** The content, base64-encoded. */
  readonly data: string;
  /** Shown to the model where the provider has a place for it. */
  readonly name?: string;
}
