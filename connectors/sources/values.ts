import { ExactNumber, isJsonObject, parseExactJson } from '@tributary/connector-kit'

/** A JSON object as a service has sent it. */
export type Fields = Readonly<Record<string, unknown>>

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** An ID as a text, whether it came as a text or as a number. */
export const idText = (value: unknown): string | undefined =>
  typeof value === 'number' || value instanceof ExactNumber ? String(value) : text(value)

/** An object of this name; an empty one where there is none. */
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

/** Names of a form at most; what comes after them is left out. */
const mostNames = 1000

/** Parameters as an object, by a name each; one that comes more than once has a list. */
export const formFields = (params: URLSearchParams): Fields => {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of params) {
    const known = values.get(name)
    if (Array.isArray(known)) known.push(value)
    else if (known !== undefined) values.set(name, [known, value])
    else if (values.size < mostNames) values.set(name, value)
  }
  return Object.fromEntries(values)
}

/** A time as RFC 3339 in UTC; a number is seconds since 1970. */
export const timeOf = (value: unknown): string | undefined => {
  const time = typeof value === 'number' ? value * 1000 : Date.parse(text(value) ?? '')
  return Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : undefined
}

/** The members that have a value. */
export const given = (values: Fields): Fields =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
