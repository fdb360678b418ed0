import { isJsonObject, type OutgoingEvent, parseExactJson } from '@tributary/connector-kit'

/** Returns the whole event as JSON, or the payload of its mapping. */
export const textOfEvent = ({ json, payload }: OutgoingEvent): string =>
  payload === undefined ? json : JSON.stringify(payload)

/** Returns the user ID of an event, else its anonymous ID, else its message ID. */
export const personOf = ({ json, messageId }: OutgoingEvent): string => {
  const event = parseExactJson(json)
  const { userId, anonymousId } = isJsonObject(event) ? event : {}
  for (const id of [userId, anonymousId]) if (typeof id === 'string' && id !== '') return id
  return messageId
}
