import { templateProblemText } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import { z } from 'zod'
import { templateLimits, templateProblem } from '../templates/json-template.ts'

type Parsed<Value> = { value: Value } | { error: string }

/** The characters of a token (RFC 9110 §5.6.2), at most 128. */
const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
/**
 * Names of headers that belong to one connection or that the client sets itself (RFC 9110 §7.6.1), and of headers that
 * frame a message.
 */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Splits `Name: value` lines, a list of {name, value}, or an object into pairs; undefined for any other value. */
const headerPairs = (value: unknown): [string, unknown][] | undefined => {
  if (typeof value === 'string')
    return value
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':')
        return colon < 0 ? [line.trim(), undefined] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
      })
  if (Array.isArray(value))
    return value.map((item) => (isJsonObject(item) ? [String(item.name), item.value] : ['', undefined]))
  return isJsonObject(value) ? Object.entries(value) : undefined
}

/**
 * Checks header names and values: RFC 9110 tokens; printable values without line ends; no header that frames the
 * message or belongs to the connection; no duplicates; at most 50.
 */
const parseHeaders = (value: unknown): Parsed<Readonly<Record<string, string>>> => {
  const pairs = headerPairs(value)
  if (pairs === undefined) return { error: 'Enter headers as names and values' }
  if (pairs.length > 50) return { error: 'At most 50 headers' }
  const headers: Record<string, string> = {}
  const seen = new Set<string>()
  for (const [name, text] of pairs) {
    if (!tokenPattern.test(name)) return { error: `"${name.slice(0, 60)}" is not a header name` }
    const lower = name.toLowerCase()
    if (ownHeaders.has(lower)) return { error: `The header ${name} can't be set` }
    if (seen.has(lower)) return { error: `The header ${name} is given twice` }
    // Visible characters, spaces and tabs of Latin-1 (RFC 9110 §5.5): no CR, LF or NUL.
    if (typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(text))
      return { error: `The value of ${name} has characters that are not allowed in a header` }
    seen.add(lower)
    headers[name] = text
  }
  return { value: headers }
}

const parseUrl = (value: unknown): Parsed<string> => {
  if (typeof value !== 'string' || value.length > 2048) return { error: 'Enter a URL of at most 2,048 characters' }
  const url = URL.parse(value.trim())
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { error: 'Enter a URL that starts with https:// or http://' }
  if (url.username !== '' || url.password !== '') return { error: 'Put credentials in a header, not in the URL' }
  url.hash = ''
  return { value: url.href }
}

const parseTemplate = (value: unknown): Parsed<string> => {
  const longest = templateLimits.characters
  if (typeof value !== 'string') return { error: 'Enter a text' }
  if (value.length > longest) return { error: `At most ${longest} characters` }
  const problem = templateProblem(value)
  return problem === undefined ? { value } : { error: templateProblemText(problem) }
}

const parsedBy = <Value>(parse: (value: unknown) => Parsed<Value>): z.ZodType<Value> =>
  z.unknown().transform((value, context): Value => {
    const parsed = parse(value)
    if ('value' in parsed) return parsed.value
    context.issues.push({ code: 'custom', message: parsed.error, input: value })
    return z.NEVER
  })

/** Creates the schema of a text of at most `maxLength` characters. */
export const text = (maxLength: number): z.ZodType<string> =>
  z.string('Enter a text').max(maxLength, `At most ${maxLength} characters`)

/** An http or https URL without credentials; surrounding spaces and the fragment are removed. */
export const url: z.ZodType<string> = parsedBy(parseUrl)

/** Headers by name, given as an object, a list or lines. */
export const headers: z.ZodType<Readonly<Record<string, string>>> = parsedBy(parseHeaders)

/** A Liquid template that renders to JSON, checked by the engine that will render it. */
export const template: z.ZodType<string> = parsedBy(parseTemplate)

/** Creates the schema of a whole number, also given as text, within inclusive bounds. */
export const wholeNumber = (min: number | undefined, max: number | undefined): z.ZodType<number> => {
  let rules = z.number('Enter a number').refine(Number.isInteger, { error: 'Enter a whole number', abort: true })
  if (min !== undefined) rules = rules.min(min, `At least ${min}`)
  if (max !== undefined) rules = rules.max(max, `At most ${max}`)
  return z.preprocess((value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value), rules)
}
