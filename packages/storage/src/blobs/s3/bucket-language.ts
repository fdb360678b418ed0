/** With what a bucket is spoken to; without an endpoint it is one of AWS. */
export type BucketAccess = {
  readonly bucket: string
  readonly region: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly endpoint?: string | undefined
  readonly path_style: boolean
}

/** A request on an object of the bucket, or on the bucket itself where there is no key. */
export type BucketRequest = {
  method: 'GET' | 'PUT' | 'DELETE'
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
}

/**
 * The S3 API: how a request is signed, a page of keys is requested and read, and a failure is described. It belongs to
 * the connectors, which use it, too: the caller that opens blobs passes it in.
 */
export type BucketLanguage = {
  signRequest(
    access: BucketAccess,
    request: BucketRequest,
    now: number,
  ): Promise<{ url: string; headers: Readonly<Record<string, string>> }>
  failureWords(
    answer: { status: number; body: string; bucketRegion: string | undefined },
    region: string,
  ): { code: string; text: string; isLater: boolean }
  listQuery(prefix: string, token: string | undefined): Readonly<Record<string, string>>
  /** Throws for a text that is no page. */
  pageOf(xml: string): { objects: readonly { key: string }[]; next: string | undefined }
}
