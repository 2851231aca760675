/** What a server sent with a document, so that it can tell whether the document has changed (RFC 9110 §8.8). */
export interface Validators {
  /** The `ETag`, as sent. */
  etag: string | null
  /** The `Last-Modified`, as sent. */
  lastModified: string | null
}
