import { cutText } from '@tributary/kernel/browser'

/** Maximum number of characters of a cause in a list. */
const maxCharacters = 200

/** Names of JSON members in which services explain a rejection, the most useful first. */
const names = [
  'message',
  'error_description',
  'error_message',
  'detail',
  'error',
  'description',
  'reason',
  'title',
  'errors',
]

const deepest = 4

/** Returns the explanation of a rejection in a JSON value, at most four levels down; '' if there is none. */
const textIn = (value: unknown, depth: number): string => {
  if (typeof value === 'string') return value.trim()
  if (typeof value !== 'object' || value === null || depth > deepest) return ''
  if (Array.isArray(value)) {
    for (const each of value.slice(0, 10)) {
      const text = textIn(each, depth + 1)
      if (text !== '') return text
    }
    return ''
  }
  for (const name of names) {
    const found = Object.entries(value).find(([key]) => key.toLowerCase() === name)
    const text = found === undefined ? '' : textIn(found[1], depth + 1)
    if (text !== '') return text
  }
  return ''
}

/** Returns the text of the first title of a page. A server can send any text, so the search takes linear time. */
const titleOf = (html: string): string => {
  const start = html.search(/<title/i)
  const opened = start < 0 ? -1 : html.indexOf('>', start)
  const end = opened < 0 ? -1 : html.indexOf('<', opened)
  return end < 0 ? '' : html.slice(opened + 1, end)
}

/** A page with a space in place of each script and style sheet. */
const withoutScripts = (html: string): string => {
  const marks = [...html.matchAll(/<(?:script|style)|<\/(?:script|style)>/gi)]
  const lastEnds = new Map(marks.map(({ 0: mark, index }) => [mark.toLowerCase(), index]))
  let kept = ''
  let from = 0
  let awaited = ''
  for (const { 0: mark, index } of marks) {
    const name = mark.toLowerCase()
    if (awaited === '') {
      const end = `</${name.slice(1)}>`
      if (name.startsWith('</') || (lastEnds.get(end) ?? -1) < index) continue
      kept += `${html.slice(from, index)} `
      awaited = end
    } else if (name === awaited) {
      from = index + mark.length
      awaited = ''
    }
  }
  return kept + html.slice(from)
}

/** A page with a space in place of each tag. */
const withoutTags = (html: string): string => {
  const parts = html.split('>')
  const last = parts.pop() ?? ''
  const shown = parts.map((part) => {
    const start = part.indexOf('<')
    return start < 0 ? `${part}>` : `${part.slice(0, start)} `
  })
  return shown.join('') + last
}

const htmlText = (body: string): string => {
  const title = titleOf(body)
  return title.trim() === '' ? withoutTags(withoutScripts(body)) : title
}

const plainText = (body: string): string =>
  body
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '') ?? ''

const textOf = (body: string): string => {
  const text = body.trim()
  if (text.startsWith('<')) return plainText(htmlText(text))
  try {
    return textIn(JSON.parse(text), 0)
  } catch {
    // A response that was cut is not valid JSON, so the message is searched for in the text.
    const found = /"(?:message|error|detail)"\s*:\s*"((?:[^"\\]|\\.)+)"/i.exec(text)?.[1]
    return found ?? (/^[[{]/.test(text) ? '' : plainText(text))
  }
}

/**
 * Returns the reason in a stored response of a service (status line and head, an empty line, the body). It is the
 * message in its JSON, the title of its page, or its first line, at most 200 characters. Returns '' if there is none.
 */
export const responseCause = (response: string): string => {
  const end = response.search(/\r?\n\r?\n/)
  const isMessage = /^HTTP[ /]\S/.test(response)
  if (isMessage && end < 0) return ''
  const text = textOf(isMessage ? response.slice(end) : response).replaceAll(/\s+/g, ' ')
  return text.length <= maxCharacters ? text : `${cutText(text, maxCharacters - 1).toWellFormed()}…`
}

const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timed out',
  409: 'Conflict',
  410: 'Gone',
  413: 'Payload too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timed out',
}

/**
 * Describes why an attempt failed. It is the recorded reason; if that is only a status, it is the message of the
 * response or the meaning of the status. The status itself is shown beside the text and is not included.
 */
export const attemptCause = (reason: string, status: number, response: string): string =>
  reason !== `HTTP ${status}` ? reason : responseCause(response) || (statusTexts[status] ?? 'No reason given')
