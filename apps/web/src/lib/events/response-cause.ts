/** Characters of a cause that a list shows. */
const maxCharacters = 200

/** Names under which services explain themselves, the most telling first. */
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

/** The text that explains a refusal in a JSON value, at most four levels down; '' without one. */
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

const htmlText = (body: string): string => {
  const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1] ?? ''
  return title.trim() === ''
    ? body.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replaceAll(/<[^>]*>/g, ' ')
    : title
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
    // An answer that was cut short is no JSON any more.
    const found = /"(?:message|error|detail)"\s*:\s*"((?:[^"\\]|\\.)+)"/i.exec(text)?.[1]
    return found ?? (/^[[{]/.test(text) ? '' : plainText(text))
  }
}

/**
 * What a service says why it refused, of its answer as it is kept (status line and head, an empty line, the body): the
 * message in its JSON, the title of its page, or its first line, at most 200 characters. '' when it does not say.
 */
export const responseCause = (response: string): string => {
  const end = response.search(/\r?\n\r?\n/)
  const isMessage = /^HTTP[ /]\S/.test(response)
  if (isMessage && end < 0) return ''
  const text = textOf(isMessage ? response.slice(end) : response).replaceAll(/\s+/g, ' ')
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).toWellFormed()}…`
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
 * Why an attempt failed, in words: the recorded reason or, where that is the bare status, what the answer says, or what
 * the status means. The status itself is not in it: it is shown once, beside.
 */
export const attemptCause = (reason: string, status: number, response: string): string =>
  reason !== `HTTP ${status}` ? reason : responseCause(response) || (statusTexts[status] ?? 'No reason given')
