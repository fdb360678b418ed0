import { withoutEnd } from '@tributary/connector-kit'
import type { BucketAccess } from './settings.ts'

/** The place of a bucket's objects: the URL without a path, and the path before a key. */
export type BucketAddress = { origin: string; base: string }

/** RFC 3986, as signatures ask for: everything but unreserved characters is escaped. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)

/** The path of an object in a URL; the slashes of its key stay. */
export const objectPath = ({ base }: BucketAddress, key: string): string =>
  `${base}/${key.split('/').map(escaped).join('/')}`

const awsEndpoint = (region: string): string =>
  `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

/**
 * The bucket's URL. The bucket's name stands before the host, or in the path if chosen. It always stands in the path
 * when the name has dots, which no wildcard certificate covers, or when the endpoint is a literal address.
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
