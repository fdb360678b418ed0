import { ConfigurationError, readTime } from '@tributary/connector-kit'
import { elementsOf, elementText } from '../access/elements.ts'

/** An object of a bucket; `changed` is epoch ms. */
export type FoundObject = { key: string; bytes: number; changed: number }

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (xml: string): string =>
  xml.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')

const member = (xml: string, name: string): string => unescaped(elementText(xml, name) ?? '')

/** Decodes a key. Keys are escaped like in a URL, because XML cannot contain some of their characters. */
const keyOf = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new ConfigurationError('The storage responded with a list of objects that cannot be read')
  }
}

/**
 * Returns the query for a page of the objects whose keys start with `prefix`: the first page, or the page of `token`.
 */
export const listQuery = (prefix: string, token: string | undefined): Readonly<Record<string, string>> => ({
  'encoding-type': 'url',
  'list-type': '2',
  'max-keys': '1000',
  prefix,
  ...(token === undefined ? {} : { 'continuation-token': token }),
})

/**
 * Parses a page of ListObjectsV2 (docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html); `next` is the token
 * of the next page. Throws ConfigurationError for another body.
 */
export const pageOf = (xml: string): { objects: FoundObject[]; next: string | undefined } => {
  if (!/<ListBucketResult[\s>]/.test(xml))
    throw new ConfigurationError('The endpoint responded with something else than a list of objects. Check its URL')
  const objects = elementsOf(xml, 'Contents').map((about) => ({
    key: keyOf(member(about, 'Key')),
    bytes: Number(member(about, 'Size')),
    changed: readTime(member(about, 'LastModified')) ?? Number.NaN,
  }))
  const next = member(xml, 'NextContinuationToken')
  return { objects, next: member(xml, 'IsTruncated') === 'true' && next !== '' ? next : undefined }
}
