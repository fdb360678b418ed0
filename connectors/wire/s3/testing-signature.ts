import { createHash, createHmac } from 'node:crypto'

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** A received request. */
type Received = {
  method: string
  url: string
  headers: Readonly<Record<string, unknown>>
  bytes: Uint8Array
}

/** Returns the query in the form that is signed: sorted by parameter name. */
const sortedQuery = (query: string): string => query.split('&').toSorted().join('&')

/**
 * Checks the signature of a request like its receiver (docs.aws.amazon.com, "Signature Calculations for the
 * Authorization Header"). Uses only the received request. Returns the reason of a refusal; undefined if the signature
 * is valid.
 */
export const signatureRefusal = (
  { method, url, headers, bytes }: Received,
  credentials: { access_key_id: string; secret_access_key: string },
  region: string,
  service = 's3',
): string | undefined => {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([a-z0-9]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
  const [, id, day = '', scopeRegion = '', scopeService, names = '', signature] =
    found.exec(String(headers.authorization)) ?? []
  if (id !== credentials.access_key_id) return 'InvalidAccessKeyId'
  if (scopeRegion !== region || scopeService !== service) return 'AuthorizationHeaderMalformed'
  if (headers['x-amz-content-sha256'] !== sha256(bytes)) return 'XAmzContentSHA256Mismatch'
  const md5 = headers['content-md5']
  if (method === 'PUT' && md5 !== createHash('md5').update(bytes).digest('base64')) return 'BadDigest'
  for (const needed of ['host', 'x-amz-date', 'x-amz-content-sha256'])
    if (!names.split(';').includes(needed)) return 'AccessDenied'
  const signedHeaders = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const [path = '', query = ''] = url.split('?')
  const signed = [path, sortedQuery(query), signedHeaders.join(''), names, headers['x-amz-content-sha256']]
  const canonical = [method, ...signed].join('\n')
  const time = String(headers['x-amz-date'])
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join('\n')
  let key: string | Buffer = `AWS4${credentials.secret_access_key}`
  for (const part of [day, region, service, 'aws4_request']) key = hmac(key, part)
  if (!time.startsWith(day)) return 'AccessDenied'
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
