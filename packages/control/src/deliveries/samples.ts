/** The stored texts of an attempt: request and response; each may be cut off at its end. */
type Sample = { readonly request: string; readonly response: string }

/** Replaces a hidden value. */
const hidden = '•••'
/** Replaces elements that are left out of a list. */
const others = '…'

/** The start of the body in a stored message: after its first empty line. */
const bodyOf = (message: string): number => {
  const end = message.indexOf('\n\n')
  return end < 0 ? message.length : end + 2
}

/** Texts of JSON, the last of them perhaps cut off, with the colon behind a name; and its other values. */
const jsonValues = /"(?:[^"\\]|\\.)*(?:"(\s*:)?|\\?$)|[^\s"{}[\],:]+/gs

/** The text of a JSON value with its names and without its values. */
export const maskJson = (text: string): string =>
  text.replace(jsonValues, (found, colon: string | undefined) => (colon === undefined ? `"${hidden}"` : found))

/** JSON whose names stay; of another text nothing does. */
export const maskBody = (body: string): string => {
  if (body === '') return ''
  if (!/^\s*[{[]/.test(body)) return hidden
  return maskJson(body)
}

/** The address of a request, without the parts of its path that may stand for a person. */
const maskAddress = (line: string): string => line.replace(/ (https?:\/\/[^\s/?#]*)[^]*/, ` $1/${hidden}`)

const maskHead = (head: string): string => {
  const [first = '', ...headers] = head.split('\n')
  // A response begins with its status; any other text is hidden.
  const start = /^HTTP \d+$/.test(first) ? first : / https?:\/\//.test(first) ? maskAddress(first) : hidden
  return [
    start,
    ...headers.map((line) => (/^content-type:/i.test(line) ? line : line.replace(/:[^]*/, `: ${hidden}`))),
  ].join('\n')
}

const maskMessage = (message: string): string => {
  if (message === '') return ''
  const at = bodyOf(message)
  const head = message.slice(0, at).trimEnd()
  return at === message.length && !/^(HTTP |[A-Z]+ https?:)/.test(head)
    ? hidden
    : `${maskHead(head)}${at === message.length ? '' : `\n\n${maskBody(message.slice(at))}`}`
}

/** A sample without personal data: that it exists, its address, and the field names in it. */
export const maskSample = <Each extends Sample>(sample: Each): Each => ({
  ...sample,
  request: maskMessage(sample.request),
  response: maskMessage(sample.response),
})

/** A part of a text: from the first character to before the second. */
type Span = readonly [from: number, to: number]

const jsonMarks = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{},]/gs

/**
 * The elements of the first list of several objects that a body is, or has in its outermost object. The last element may be cut
 * off.
 */
const listIn = (body: string): Span[] => {
  let depth = 0
  /** The depth within the list that is being read, and where its element begins. */
  let inside: number | undefined
  let from = 0
  let found: Span[] = []
  const close = (at: number): void => {
    if (body.slice(from, at).trimStart().startsWith('{')) found.push([from, at])
  }
  for (const { 0: mark, index: at } of body.matchAll(jsonMarks)) {
    if (mark === '[' || mark === '{') {
      depth++
      if (mark !== '[' || inside !== undefined || depth > 2) continue
      inside = depth
      from = at + 1
      found = []
    } else if (mark === ',' && depth === inside) {
      close(at)
      from = at + 1
    } else if (mark === ']' || mark === '}') {
      if (depth === inside) {
        close(at)
        if (found.length > 1) return found
        inside = undefined
      }
      depth--
    }
  }
  if (inside !== undefined) close(body.length)
  return found.length > 1 ? found : []
}

/** Objects that follow each other, each on a line. */
const linesIn = (body: string): Span[] => {
  const spans: Span[] = []
  for (let from = 0; from < body.length; ) {
    const end = body.indexOf('\n', from)
    const to = end < 0 ? body.length : end
    if (to > from) spans.push([from, to])
    from = to + 1
  }
  return spans.length > 1 && spans.every(([from]) => body[from] === '{') ? spans : []
}

/** A message id as libraries, and most destinations, name it. */
const anyMessageId = /"(?:messageId|message_id)"\s*:\s*"/

/**
 * The request without the parts of other events, since it may have contained a batch. Keeps the element of a list that
 * contains the event. If there is none, removes the elements with other message IDs. If there are none of these, keeps
 * the whole request.
 */
export const ownPartOf = (request: string, messageId: string): string => {
  const at = bodyOf(request)
  const body = request.slice(at)
  const named = JSON.stringify(messageId)
  const lines = linesIn(body)
  const spans = lines.length > 0 ? lines : listIn(body)
  const own = spans.filter(([from, to]) => body.slice(from, to).includes(named))
  if (spans.length === 0 || own.length > 1 || messageId === '') return request
  const isOther = (span: Span): boolean =>
    own.length === 1 ? !own.includes(span) : anyMessageId.test(body.slice(...span))
  let text = ''
  let end = 0
  let wasOther = false
  for (const span of spans) {
    const other = isOther(span)
    // Others that follow each other are one mark.
    if (!other || !wasOther) text += body.slice(end, span[0]) + (other ? others : body.slice(...span))
    wasOther = other
    end = span[1]
  }
  return request.slice(0, at) + text + body.slice(end)
}
