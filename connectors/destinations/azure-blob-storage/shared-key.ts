import { createHmac } from 'node:crypto'

/** A request to sign; names of headers are in lower case. */
type Signed = { method: string; url: string; headers: Readonly<Record<string, string>>; bytes: number }

/** The headers that are signed in this order, whether a request has them or not. */
const standard = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
]

/**
 * Returns the header `authorization` of a request without a query ("Authorize with Shared Key", for version 2015-02-21 and
 * later, in which an empty body has no length).
 */
export const sharedKey = (
  { account, key }: { account: string; key: string },
  { method, url, headers, bytes }: Signed,
): string => {
  const known: Readonly<Record<string, string>> = { ...headers, 'content-length': bytes === 0 ? '' : String(bytes) }
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .toSorted()
    .map((name) => `${name}:${headers[name]?.trim()}`)
  const text = [
    method,
    ...standard.map((name) => known[name] ?? ''),
    ...own,
    `/${account}${new URL(url).pathname}`,
  ].join('\n')
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')
  return `SharedKey ${account}:${signature}`
}
