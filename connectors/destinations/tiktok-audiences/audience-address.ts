import { isNumber } from './settings.ts'

/**
 * An audience, and the field that identifies people in rows. With `adds`, rows only add people, by every column;
 * otherwise people are added and removed by the identifier alone.
 */
export type AudienceAddress = { id: string; identifier: string; adds: boolean }

/** Returns the object name of an audience in rows. */
export const audienceObject = ({ id, identifier, adds }: AudienceAddress): string =>
  `${adds ? 'additions' : 'audiences'}/${encodeURIComponent(id.trim())}/${encodeURIComponent(identifier)}`

/** Returns the audience of an object name; undefined for any other object, and for an invalid ID. */
export const audienceOf = (object: string): AudienceAddress | undefined => {
  const [kind, id = '', identifier = '', ...more] = object.split('/')
  if ((kind !== 'audiences' && kind !== 'additions') || more.length > 0 || !isNumber(id) || identifier === '')
    return undefined
  try {
    return { id, identifier: decodeURIComponent(identifier), adds: kind === 'additions' }
  } catch {
    return undefined
  }
}
