import type { ParsedEvent, RawEvent } from '../event-types.ts'
import { isJsonObject } from '../json-text.ts'
import { ok, reject, type Step } from '../outcome.ts'

const malformed = reject('malformed_json', 'The event is not valid JSON.')
const notAnObject = reject('not_an_object', 'An event must be a JSON object.')

/** Parses the text of one event alone. */
export const parseJson = (): Step<RawEvent, ParsedEvent> =>
  function parseEvent(raw) {
    let body: unknown
    try {
      body = JSON.parse(raw.original)
    } catch {
      return malformed
    }
    return isJsonObject(body) ? ok({ raw, body }) : notAnObject
  }
