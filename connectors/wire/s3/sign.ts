import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { bucketAddress, escaped, objectPath } from './address.ts'
import type { BucketAccess } from './settings.ts'

/** A request of the S3 API for an object of the bucket, or for the bucket itself if there is no key. */
export type BucketRequest = {
  method: 'GET' | 'PUT' | 'DELETE'
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
}

/**
 * Signs a request by AWS Signature Version 4, with the hash of its body; `now` is epoch ms. Returns the URL and the
 * headers of the request.
 */
export const signRequest = async (
  access: BucketAccess,
  { method, key, query = {}, headers: more = {}, body = new Uint8Array() }: BucketRequest,
  now: number,
): Promise<{ url: string; headers: Record<string, string> }> => {
  const address = bucketAddress(access)
  const { protocol, hostname, port, host } = new URL(address.origin)
  const path = key === undefined ? `${address.base}/` : objectPath(address, key)
  const request = new HttpRequest({
    method,
    protocol,
    hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    path,
    query: { ...query },
    headers: {
      host,
      'user-agent': 'Tributary/1.0',
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
      ...more,
    },
  })
  const signer = new SignatureV4({
    service: 's3',
    region: access.region,
    credentials: { accessKeyId: access.access_key_id.trim(), secretAccessKey: access.secret_access_key.trim() },
    sha256: Sha256,
    // The path is not escaped again, because S3, unlike other services, signs the path unchanged.
    uriEscapePath: false,
  })
  const { headers } = await signer.sign(request, { signingDate: new Date(now) })
  // The client sets the same host header itself.
  const { host: _host, ...rest } = headers
  const pairs = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
  return { url: `${address.origin}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`, headers: rest }
}
