/** A Custom Audience, and the field that identifies users in rows. */
export type AudienceAddress = { id: string; identifier: string }

/** Returns the object name of a Custom Audience in rows. */
export const audienceObject = ({ id, identifier }: AudienceAddress): string =>
  `audiences/${encodeURIComponent(id.trim())}/${encodeURIComponent(identifier)}`

/** Returns the Custom Audience of an object name; undefined for any other object, and for an invalid ID. */
export const audienceOf = (object: string): AudienceAddress | undefined => {
  const [kind, id = '', identifier = '', ...more] = object.split('/')
  if (kind !== 'audiences' || more.length > 0 || !/^[0-9]{5,30}$/.test(id) || identifier === '') return undefined
  try {
    return { id, identifier: decodeURIComponent(identifier) }
  } catch {
    return undefined
  }
}
