/** The stored texts of a delivery attempt: the request and the response. The end of each may be cut off. */
type Sample = { readonly request: string; readonly response: string }

/** Replaces a hidden value. */
const hidden = '•••'
/** Replaces elements that are left out of a list. */
const others = '…'

/** Returns the position of the body in a stored message: after the first empty line. */
const bodyOf = (message: string): number => {
  const end = message.indexOf('\n\n')
  return end < 0 ? message.length : end + 2
}

/**
 * Finds each text of a JSON document, with the colon if the text is a name, and each other value. The last text may be
 * cut off.
 */
const jsonValues = /"(?:[^"\\]|\\.)*(?:"(\s*:)?|\\?$)|[^\s"{}[\],:]+/gs

/** Replaces the values in a JSON text. The names stay. */
export const maskJson = (text: string): string =>
  text.replace(jsonValues, (found, colon: string | undefined) => (colon === undefined ? `"${hidden}"` : found))

/** Hides the values of a JSON body, and everything of any other body. */
export const maskBody = (body: string): string => {
  if (body === '') return ''
  if (!/^\s*[{[]/.test(body)) return hidden
  return maskJson(body)
}

/** Hides the path and query of the address in a request line, because they may identify a person. */
const maskAddress = (line: string): string => line.replace(/ (https?:\/\/[^\s/?#]*)[^]*/, ` $1/${hidden}`)

const maskHead = (head: string): string => {
  const [first = '', ...headers] = head.split('\n')
  // A response begins with its status, a request with its method and address. Any other first line is hidden.
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

/** Hides personal data of a sample: only its address and the names of fields stay visible. */
export const maskSample = <Each extends Sample>(sample: Each): Each => ({
  ...sample,
  request: maskMessage(sample.request),
  response: maskMessage(sample.response),
})

/** The position of a part in a text: of its first character, and of the character after its last one. */
type Span = readonly [from: number, to: number]

const jsonMarks = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{},]/gs

/**
 * Finds the first list with several objects, which is the body itself or a member of its outermost object. Returns the
 * positions of these objects. The last one may be cut off.
 */
const listIn = (body: string): Span[] => {
  let depth = 0
  /** The nesting depth of the list that is being read, and the start of its current element. */
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

/** Returns the positions of the objects in a body with one object per line. Returns none for any other body. */
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

/** Matches a message ID under the names that libraries and most destinations use. */
const anyMessageId = /"(?:messageId|message_id)"\s*:\s*"/

/**
 * Removes the parts of other events from a request, because the request may have contained a batch. Keeps the element
 * of a list that contains the event. If there is none, removes the elements with other message IDs. If no element has a
 * message ID, keeps the whole request.
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
    // One mark replaces all adjacent elements of other events.
    if (!other || !wasOther) text += body.slice(end, span[0]) + (other ? others : body.slice(...span))
    wasOther = other
    end = span[1]
  }
  return request.slice(0, at) + text + body.slice(end)
}
