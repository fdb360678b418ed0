/** The type of HubSpot records, and the property that identifies a record. */
export type ObjectType = { type: string; idProperty: string }

/**
 * The form of a type: `contacts`, the name of a custom object such as `p123_cars`, or an object type id such as
 * `2-3465404`.
 */
const typeForm = /^[a-z0-9][a-z0-9_-]{0,99}$/i

/** Returns the object name of records in rows, with the property percent-encoded. */
export const recordsObject = ({ type, idProperty }: ObjectType): string =>
  `crm/${encodeURIComponent(type.trim())}/${encodeURIComponent(idProperty)}`

/** Returns the type and property of an object name; undefined for any other object, and for an invalid type. */
export const recordsOf = (object: string): ObjectType | undefined => {
  const [kind, type = '', property = '', ...more] = object.split('/')
  if (kind !== 'crm' || more.length > 0 || property === '' || !typeForm.test(type)) return undefined
  try {
    return { type, idProperty: decodeURIComponent(property) }
  } catch {
    return undefined
  }
}

/** Contacts by their email address. */
export const contactsByEmail: ObjectType = { type: 'contacts', idProperty: 'email' }

/** Whether records are contacts that are known by their email address; `0-1` is the type ID of contacts. */
export const isContactByEmail = ({ type, idProperty }: ObjectType): boolean =>
  idProperty === 'email' && ['contacts', 'contact', '0-1'].includes(type.toLowerCase())
