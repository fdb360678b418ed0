import { isJsonObject } from '@tributary/kernel'
import type { ParsedEvent, RawEvent } from '../event-types.ts'
import { ok, reject, type Step } from '../outcome.ts'

const malformed = reject('malformed_json', 'The event is not valid JSON.')
const notAnObject = reject('not_an_object', 'An event must be a JSON object.')

/**
 * Parses the text of one event, without a context that can be used unchanged. Both the row and the delivery need the
 * context as text, and in most events it is the largest part. The request was checked to be valid JSON when it was
 * accepted.
 */
export const parseJson = (): Step<RawEvent, ParsedEvent> =>
  function parseEvent(raw) {
    const { original } = raw
    const span = raw.lossy ? undefined : raw.context
    const context = span === undefined ? undefined : original.slice(span.from, span.to)
    const text = span === undefined ? original : `${original.slice(0, span.from)}null${original.slice(span.to)}`
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return malformed
    }
    return isJsonObject(body) ? ok({ raw, body, context }) : notAnObject
  }
