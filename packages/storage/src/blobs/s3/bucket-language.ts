/** How to connect to a bucket; without an endpoint it is a bucket of AWS. */
export type BucketAccess = {
  readonly bucket: string
  readonly region: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly endpoint?: string | undefined
  readonly path_style: boolean
}

/** A request for an object of the bucket, or for the bucket itself if there is no key. */
export type BucketRequest = {
  method: 'GET' | 'PUT' | 'DELETE'
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
}

/**
 * The S3 API: signs a request, lists a page of keys, and describes a failure. The implementation belongs to the
 * connectors, which also use it; the caller that opens blobs passes it in.
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
  /** Throws for a text that is not a page. */
  pageOf(xml: string): { objects: readonly { key: string }[]; next: string | undefined }
}
