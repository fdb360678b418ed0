import { withoutEnd } from '@tributary/connector-kit'
import type { BucketAccess } from './settings.ts'

/** The address of a bucket's objects: the URL without a path, and the path before a key. */
export type BucketAddress = { origin: string; base: string }

/** Escapes all characters except unreserved ones (RFC 3986), as signatures require. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns the path of an object in a URL; the slashes of its key are kept. */
export const objectPath = ({ base }: BucketAddress, key: string): string =>
  `${base}/${key.split('/').map(escaped).join('/')}`

const awsEndpoint = (region: string): string =>
  `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

/**
 * Returns the address of a bucket. The bucket's name is before the host, or in the path if chosen. It is always in the
 * path if the name has dots, which no wildcard certificate covers, or if the endpoint is an IP address.
 */
export const bucketAddress = ({
  endpoint,
  region,
  bucket,
  path_style: inPath,
}: Pick<BucketAccess, 'endpoint' | 'region' | 'bucket' | 'path_style'>): BucketAddress => {
  const url = new URL(endpoint ?? awsEndpoint(region))
  const path = withoutEnd(url.pathname, '/')
  const literal = /^[\d.]+$|^\[/.test(url.hostname)
  if (inPath || bucket.includes('.') || literal) return { origin: url.origin, base: `${path}/${bucket}` }
  return { origin: `${url.protocol}//${bucket}.${url.host}`, base: path }
}
