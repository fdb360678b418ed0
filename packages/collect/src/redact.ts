import type { IncomingMessage } from 'node:http'
import { cutText } from '@tributary/kernel'

const maxSample = 2000
const maxBody = 1200
const hidden = '[hidden]'
const secretName =
  /write_?key|authori[sz]ation|passw|passphrase|secret|token|api_?key|credential|cookie|session_?id|card|cvv|cvc|iban|ssn/i
const shownHeaders = ['content-type', 'content-encoding', 'content-length', 'user-agent', 'origin', 'x-retry-count']
const field = /"((?:[^"\\]|\\.){1,100})"\s*:\s*("(?:[^"\\]|\\.)*"?|[^\s,}\]"]+)/g

const redactedText = (text: string, secrets: readonly string[]): string => {
  const fields = text.replace(field, (whole: string, name: string) =>
    secretName.test(name) ? `"${name}":"${hidden}"` : whole,
  )
  return secrets.reduce((left, secret) => (secret.length < 4 ? left : left.replaceAll(secret, hidden)), fields)
}

/** Returns a URL whose query values are hidden, except plain event names. */
const redactedUrl = (url: string, secrets: readonly string[]): string => {
  const [path = '', query] = url.split('?', 2)
  const shown =
    query === undefined ? '' : `?${[...new URLSearchParams(query).keys()].map((key) => `${key}=…`).join('&')}`
  return redactedText(`${path}${shown}`.slice(0, 300), secrets)
}

/**
 * Returns a rejected request as JSON of at most 2,000 characters, without secrets: method, path, harmless headers and
 * the beginning of the body. Hides values of fields that look like credentials, and each occurrence of the write key.
 * Works on text, so it also handles bodies that are not JSON.
 */
export const sampleOf = (req: IncomingMessage, body: Buffer | undefined, key: string | undefined): string => {
  const secrets = key === undefined ? [] : [key, encodeURIComponent(key)]
  const headers: Record<string, string> = {}
  for (const name of shownHeaders) {
    const value = req.headers[name]
    if (typeof value === 'string') headers[name] = redactedText(cutText(value, 100), secrets)
  }
  // The text is redacted before it is truncated, so that no part of a secret remains.
  const text = body === undefined ? undefined : redactedText(body.toString('utf8', 0, 4 * maxBody), secrets)
  const sample = {
    method: req.method,
    url: redactedUrl(req.url ?? '', secrets),
    headers,
    ...(text === undefined ? {} : { body: cutText(text, maxBody) }),
  }
  const json = JSON.stringify(sample)
  if (json.length <= maxSample) return json
  const spare = Math.max(0, maxBody - (json.length - maxSample) - 20)
  const shorter = JSON.stringify({
    ...sample,
    body: text === undefined ? undefined : cutText(text, Math.floor(spare / 2)),
  })
  return shorter.length <= maxSample
    ? shorter
    : JSON.stringify({ method: sample.method, url: sample.url.slice(0, 200) })
}
