/** Named byte objects: logos, uploads, exports. Keys are `/`-separated, `[A-Za-z0-9._-]` per part, no `..`. */
export interface Blobs {
  /** Writes the whole object; durable on return, never seen half-written. */
  put(key: string, body: Uint8Array, contentType: string): Promise<void>
  get(key: string): Promise<{ body: Uint8Array; contentType: string } | undefined>
  delete(key: string): Promise<void>
  list(prefix: string): Promise<string[]>
}

/**
 * The storage of blobs is away, or refuses what is asked of it. What was to be written may be there all the same; a key that was
 * not told to anybody may be forgotten.
 */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable'
}
