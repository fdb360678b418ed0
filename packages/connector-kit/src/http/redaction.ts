/** Maximum bytes of a stored request or response. */
export const maxExchangeBytes = 4096

const hidden = '[redacted]'

/** Cuts a text to at most `bytes` of UTF-8 without splitting a character. */
export const cutToBytes = (text: string, bytes = maxExchangeBytes): string => {
  if (text.length * 3 <= bytes) return text
  const encoded = Buffer.from(text.length > bytes ? text.slice(0, bytes) : text)
  if (encoded.length <= bytes) return encoded.toString()
  let end = bytes
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--
  return encoded.subarray(0, end).toString()
}

/** Replaces every occurrence of the given secrets (of 4 characters or more) in a text. */
export const hideSecrets = (text: string, secrets: readonly string[]): string => {
  let result = text
  for (const secret of secrets) if (secret.length >= 4) result = result.replaceAll(secret, hidden)
  return result
}

/** Returns a URL as it can be shown: without credentials, and with hidden query values. */
export const hideUrl = (address: string): string => {
  const url = URL.parse(address)
  if (url === null) return hidden
  const query = [...url.searchParams.keys()].map((key) => `${encodeURIComponent(key)}=${hidden}`).join('&')
  return `${url.origin}${url.pathname}${query === '' ? '' : `?${query}`}`
}

/**
 * Formats a request for storage: start line, headers, body, at most 4 kB. Hides the values of headers named in
 * `secretHeaders` (lower case), and the given secrets anywhere. A binary body is shown only by its size.
 */
export const requestText = (
  request: { method: string; url: string; headers: Readonly<Record<string, string>>; body: string | Uint8Array },
  secretHeaders: ReadonlySet<string>,
  secrets: readonly string[] = [],
): string => {
  const lines = Object.entries(request.headers).map(
    ([name, value]) => `${name}: ${secretHeaders.has(name.toLowerCase()) ? hidden : value}`,
  )
  const body = typeof request.body === 'string' ? request.body : `(${request.body.byteLength} bytes)`
  const text = `${request.method} ${hideUrl(request.url)}\n${lines.join('\n')}\n\n${body}`
  return cutToBytes(hideSecrets(text, secrets))
}

/** Formats a response for storage: status, relevant headers, body, at most 4 kB, without the given secrets. */
export const responseText = (
  answer: { status: number; headers: Readonly<Record<string, string>>; body: string },
  secrets: readonly string[],
): string => {
  const lines = ['content-type', 'retry-after', 'location', 'server']
    .filter((name) => answer.headers[name] !== undefined)
    .map((name) => `${name}: ${answer.headers[name]}`)
  return cutToBytes(hideSecrets([`HTTP ${answer.status}`, ...lines, '', answer.body].join('\n'), secrets))
}
