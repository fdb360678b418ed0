import { isRecord } from '@tributary/kernel/record'

/** An action and a request of a description, as a list shows them. */
export type DescribedParts = {
  /** A field with a constant shows it, because events then change nothing of it: `message = "Hello"`. */
  actions: { name: string; title: string; request: string; fields: string[] }[]
  requests: { name: string; method: string; path: string }[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const fieldText = (name: string, field: unknown): string => {
  const from = isRecord(field) ? field['from'] : undefined
  return isRecord(from) && from['type'] === 'CONSTANT' ? `${name} = ${JSON.stringify(from['value'])}` : name
}

/** Returns the actions and requests of a description; none if it is no JSON object. */
export const describedParts = (description: string): DescribedParts => {
  let whole: unknown
  try {
    whole = JSON.parse(description)
  } catch {
    whole = undefined
  }
  const entries = (name: string): [string, Record<string, unknown>][] => {
    const members = isRecord(whole) ? whole[name] : undefined
    return isRecord(members)
      ? Object.entries(members).filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1]))
      : []
  }
  return {
    actions: entries('actions').map(([name, { title, request, fields }]) => ({
      name,
      title: textOf(title),
      request: textOf(request),
      fields: isRecord(fields) ? Object.entries(fields).map(([field, form]) => fieldText(field, form)) : [],
    })),
    requests: entries('requests').map(([name, { method, path }]) => ({
      name,
      method: textOf(method),
      path: textOf(path),
    })),
  }
}
