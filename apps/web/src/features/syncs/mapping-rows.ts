import type { Model, SyncField } from '@tributary/contract'

/** A column of a model in a mapping that is being edited. */
export type MappingRow = {
  column: string
  /** The type of the column in the database; '' if the model no longer has the column. */
  type: string
  /** The readable name of a column whose name has an ID. */
  title?: string | undefined
  /** The field of the destination to which the column is mapped. */
  target: string
  included: boolean
}

/** The errors of a mapping, by row index, or for the whole mapping. */
export type MappingProblems = { rows: ReadonlyMap<number, string>; all?: string }

/**
 * Returns the suggested mapping of a model: each column is mapped to the field that has the same name. A column whose name
 * has an ID is offered, and not included.
 */
export const suggestedRows = ({ columns }: Pick<Model, 'columns'>): MappingRow[] =>
  columns.map(({ name, type, title }) => ({ column: name, type, title, target: name, included: title === undefined }))

/** Returns the suggested identifier of records: the primary key, or '' if the key has several columns. */
export const suggestedIdentifier = ({ primary_key }: Pick<Model, 'primary_key'>): string =>
  primary_key.length === 1 ? (primary_key[0] ?? '') : ''

/** A saved mapping, followed by the unused columns. */
export const savedRows = (
  { columns }: Pick<Model, 'columns'>,
  fields: readonly SyncField[],
  suggested: (model: Pick<Model, 'columns'>) => readonly MappingRow[] = suggestedRows,
): MappingRow[] => [
  ...fields.map(({ column, target }) => {
    const { type = '', title } = columns.find(({ name }) => name === column) ?? {}
    return { column, type, title, target, included: true }
  }),
  ...suggested({ columns: columns.filter(({ name }) => !fields.some(({ column }) => column === name)) }).map((row) => ({
    ...row,
    included: false,
  })),
]

/** The saved fields of a mapping. */
export const fieldsOfRows = (rows: readonly MappingRow[]): SyncField[] =>
  rows.filter(({ included }) => included).map(({ column, target }) => ({ column, target: target.trim() }))

/** The errors that prevent saving a mapping; `identifier` is an index of the rows, -1 for none. */
export const mappingProblems = (rows: readonly MappingRow[], identifier: number): MappingProblems | undefined => {
  const wrong = new Map<number, string>()
  const targets = new Map<string, number>()
  for (const [at, { column, type, target, included }] of rows.entries()) {
    if (!included) continue
    const name = target.trim()
    if (type === '') wrong.set(at, `The model no longer has ${column}`)
    else if (name === '') wrong.set(at, 'Required')
    else if (targets.has(name)) wrong.set(at, `${rows[targets.get(name) ?? 0]?.column ?? ''} already goes to ${name}`)
    else targets.set(name, at)
  }
  if (wrong.size > 0) return { rows: wrong }
  if (targets.size === 0) return { rows: wrong, all: 'Include at least one column' }
  if (rows[identifier]?.included !== true)
    return { rows: wrong, all: 'Choose the identifier: an included column that tells rows apart' }
  return undefined
}
