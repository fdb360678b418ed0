import { isJsonObject } from '@tributary/kernel'
import type { Condition, Statuses } from '../format/schema-requests.ts'

/**
 * Returns the value at a path of a parsed answer; undefined if there is none. Only own members are read, so the work is
 * that of the path.
 */
export const valueInAnswer = (answer: unknown, path: string): unknown => {
  if (path === '') return answer
  let value = answer
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return value
}

/** Whether a value of an answer meets a condition. */
export const meets = (answer: unknown, condition: Condition): boolean => {
  const value = valueInAnswer(answer, condition.path)
  if ('is' in condition) return condition.is.some((one) => one === value)
  if ('exists' in condition) return (value !== undefined && value !== null) === condition.exists
  return typeof value === 'string' && value.includes(condition.contains)
}

/** Whether a status code is one of those that are listed. */
export const hasStatus = (status: number, listed: Statuses): boolean =>
  listed.some((one) => (typeof one === 'number' ? one === status : Number(one[0]) === Math.floor(status / 100)))

/** Returns the first text at one of the paths; a number counts as its text. '' if there is none. */
export const textInAnswer = (answer: unknown, paths: readonly string[]): string => {
  for (const path of paths) {
    const value = valueInAnswer(answer, path)
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return String(value)
  }
  return ''
}

/** Returns an answer's body as JSON; undefined for any other body. */
export const parsedAnswer = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
