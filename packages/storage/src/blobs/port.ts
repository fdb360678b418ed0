/** Named byte objects: logos, uploads, exports. Keys are `/`-separated, `[A-Za-z0-9._-]` per part, no `..`. */
export interface Blobs {
  /** Writes the whole object. It is durable on return, and readers never see a part of it. */
  put(key: string, body: Uint8Array, contentType: string): Promise<void>
  get(key: string): Promise<{ body: Uint8Array; contentType: string } | undefined>
  delete(key: string): Promise<void>
  list(prefix: string): Promise<string[]>
}

/**
 * The blob storage is unavailable, or rejects the request. A failed write may still have stored its object. A caller
 * that has not given the key to anyone may ignore that object.
 */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable'
}
