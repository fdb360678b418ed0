import { isUtf8 } from 'node:buffer'
import type { EventType } from '@tributary/contract'
import { formParams } from '@tributary/kernel'
import { parseBody } from '../body/body.ts'
import { badPixel, type Refusal, wrongBytes } from '../refusal.ts'

/** The event of a pixel, and the JSON body made from the event. */
export type PixelEvent = { value: Record<string, unknown>; body: Buffer }

const maxDepth = 20

/**
 * Reads the parameter `data` of `/v1/pixel/{type}`: one JSON object as base64 (either alphabet, with or without
 * padding).
 */
export const dataPixel = (query: string): PixelEvent | { refusal: Refusal } => {
  // A '+' that was not escaped arrives as a space.
  const data = new URLSearchParams(query).get('data')?.replaceAll(' ', '+')
  if (data === undefined || data === '') return { refusal: badPixel }
  const body = Buffer.from(data, 'base64')
  if (!isUtf8(body)) return { refusal: wrongBytes }
  const parsed = parseBody(body)
  return 'refusal' in parsed ? { refusal: badPixel } : { value: parsed.value, body }
}

type Tree = { [key: string]: string | Tree }

const put = (tree: Tree, path: readonly string[], name: string, value: string): void => {
  let at = tree
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(at, part) ? at[part] : undefined
    if (typeof next === 'string') {
      // For `a=1&a.b=2`, both values are kept. The second value has its full name `a.b`.
      set(tree, name, value)
      return
    }
    const child: Tree = next ?? {}
    set(at, part, child)
    at = child
  }
  const last = path.at(-1) ?? name
  set(at, typeof (Object.hasOwn(at, last) ? at[last] : '') === 'string' ? last : name, value)
}

/** Defines a plain property, even for a name like `__proto__`. */
const set = (tree: Tree, key: string, value: string | Tree): void => {
  Object.defineProperty(tree, key, { value, enumerable: true, writable: true, configurable: true })
}

/**
 * Converts the query of `/pixel/v1/{type}`: parameters become fields, dots nest (`properties.price=5`), values stay
 * strings. The write key is omitted. Escaped bytes that are not UTF-8, from a page in another charset, are rejected.
 */
export const queryPixel = (query: string, type: EventType): PixelEvent | { refusal: Refusal } => {
  const params = formParams(query)
  if (typeof params === 'string') return { refusal: wrongBytes }
  const value: Tree = {}
  set(value, 'type', type)
  set(value, 'channel', 'web')
  for (const [name, text] of params) {
    if (name === 'writeKey' || name === '' || name === 'type') continue
    const path = name.split('.')
    put(value, path.length > maxDepth || path.includes('') ? [name] : path, name, text)
  }
  return { value, body: Buffer.from(JSON.stringify(value)) }
}
