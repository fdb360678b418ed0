import { ExactNumber, isJsonObject, parseExactJson, type WebhookReceipt } from '@tributary/connector-kit'

/** A JSON object as a service has sent it. */
export type Fields = Readonly<Record<string, unknown>>

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** An ID as a text, whether it came as a text or as a number. */
export const idText = (value: unknown): string | undefined =>
  typeof value === 'number' || value instanceof ExactNumber ? String(value) : text(value)

/** The value as an object; an empty one for another value. */
export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** A body that is a JSON object. */
export const parseObject = (body: Buffer): Fields | undefined => {
  try {
    const value: unknown = parseExactJson(body.toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Refuses fields whose bytes are not in the charset that the call names: decoding them could merge two people into one.
 */
export const wrongBytes: WebhookReceipt = {
  refusal: {
    code: 400,
    reason: 'NOT_UTF8',
    message:
      'A field has bytes that are not valid in the charset of the call. Send UTF-8, or name the charset in Content-Type.',
  },
}

/** Maximum names of a form; further ones are omitted. */
const maxNames = 1000

/** Parameters as an object, by a name each; one that comes more than once has a list. */
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

/** The members that have a value. */
export const given = (values: Fields): Fields =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
