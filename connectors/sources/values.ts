import { ExactNumber, isJsonObject, parseExactJson, type WebhookReceipt } from '@tributary/connector-kit'

/** A JSON object that a service has sent. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns a text that is not empty; undefined for any other value. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Returns an ID as a text, also if it is a number. */
export const idText = (value: unknown): string | undefined =>
  typeof value === 'number' || value instanceof ExactNumber ? String(value) : text(value)

/** Returns the value if it is an object, otherwise an empty object. */
export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** Parses a body that is a JSON object; undefined for any other body. */
export const parseObject = (body: Buffer): Fields | undefined => {
  try {
    const value: unknown = parseExactJson(body.toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The refusal of fields whose bytes are invalid in the charset that the call names. Decoding them could merge two users
 * into one.
 */
export const wrongBytes: WebhookReceipt = {
  refusal: {
    code: 400,
    reason: 'NOT_UTF8',
    message:
      'A field has bytes that are not valid in the charset of the call. Send UTF-8, or name the charset in Content-Type.',
  },
}

/** Maximum names of a form; further names are omitted. */
const maxNames = 1000

/** Returns parameters as an object by name; a repeated parameter has a list. */
export const formFields = (params: URLSearchParams): Fields => {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of params) {
    const known = values.get(name)
    if (Array.isArray(known)) known.push(value)
    else if (known !== undefined) values.set(name, [known, value])
    else if (values.size < maxNames) values.set(name, value)
  }
  return Object.fromEntries(values)
}

/** Returns the members that have a value. */
export const given = (values: Fields): Fields =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
