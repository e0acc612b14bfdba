/** An image or another file that a user's message carries, by its content: it is stored with the message. */
export interface MessageFile {
  /** IANA media type, for example `image/png` or `application/pdf`. */
  readonly mediaType: string;
  /** The content in base64. */
  readonly data: string;
  /** Shown to the model where the provider has a place for it. */
  readonly name?: string;
}
