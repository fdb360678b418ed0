import { isJsonObject } from '@tributary/kernel'
import type { DescribedRequest } from '../format/schema-requests.ts'
import { TreeProblem } from './render-tree.ts'

type Encoding = DescribedRequest['encoding']

/** The content types of bodies. */
export const contentTypes: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
}

const inForm = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : (JSON.stringify(value) ?? '')

/**
 * Returns a body as text. In a form, lists repeat their name, and other objects are JSON. Throws TreeProblem if the body
 * of a form is no object.
 */
export const bodyText = (body: unknown, encoding: Encoding): string => {
  if (encoding === 'json' || body === undefined) return JSON.stringify(body) ?? ''
  if (!isJsonObject(body)) throw new TreeProblem('The body is no object, and cannot be a form')
  const members = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: unknown): [string, string] => [name, inForm(one)]),
  )
  return new URLSearchParams(members).toString()
}
