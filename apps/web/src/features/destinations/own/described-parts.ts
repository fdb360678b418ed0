import { isRecord } from '@tributary/kernel/record'

const operationNames = ['upsert', 'insert', 'update', 'delete'] as const

/** An object of a description to which syncs write rows, with the fields of the action of each operation. */
export type DescribedRows = {
  object: string
  title: string
  operations: { name: (typeof operationNames)[number]; fields: string[] }[]
  identifiers: string[]
  named: boolean
}

/** The actions, requests, and objects with rows of a description, as a list shows them. */
export type DescribedParts = {
  /** A field with a constant shows it, because events then change nothing of it: `message = "Hello"`. */
  actions: { name: string; title: string; request: string; fields: string[] }[]
  requests: { name: string; method: string; path: string }[]
  rows: DescribedRows[]
}

type Values = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const fieldText = (name: string, field: unknown): string => {
  const from = isRecord(field) ? field['from'] : undefined
  return isRecord(from) && from['type'] === 'CONSTANT' ? `${name} = ${JSON.stringify(from['value'])}` : name
}

const rowsOf = (object: Values, rows: Values, actions: Values): DescribedRows => {
  const { identifiers } = rows
  return {
    object: textOf(object.name),
    title: textOf(object.title),
    operations: operationNames.flatMap((name) => {
      const action = actions[textOf(rows[name])]
      return isRecord(action) ? [{ name, fields: isRecord(action.fields) ? Object.keys(action.fields) : [] }] : []
    }),
    identifiers: Array.isArray(identifiers) ? identifiers.filter((name) => typeof name === 'string') : [],
    named: isRecord(rows.named),
  }
}

/** Returns the parts of a description; none if it is no JSON object. */
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
  const actions = isRecord(whole) && isRecord(whole.actions) ? whole.actions : {}
  const objects: unknown[] = isRecord(whole) && Array.isArray(whole.objects) ? whole.objects : []
  return {
    actions: entries('actions').map(([name, { title, request, fields }]) => ({
      name,
      title: textOf(title),
      request: textOf(request),
      fields: isRecord(fields) ? Object.entries(fields).map(([field, form]) => fieldText(field, form)) : [],
    })),
    rows: objects.flatMap((object) =>
      isRecord(object) && isRecord(object.rows) ? [rowsOf(object, object.rows, actions)] : [],
    ),
    requests: entries('requests').map(([name, { method, path }]) => ({
      name,
      method: textOf(method),
      path: textOf(path),
    })),
  }
}
