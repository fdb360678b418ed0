import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { tableQuery } from '../../lib/queries/data-source-queries.ts'
import type { ModelInput } from './model-draft.ts'
import { type DraftProblems, inputOf, type ModelDraft, problemsOf, queryOf, refusalOf } from './model-draft.ts'
import type { TableName } from './table-browser.tsx'

/** A draft whose key the user has not chosen yet. */
type Draft = Omit<ModelDraft, 'key'> & { key: readonly string[] | undefined }

/**
 * The entered values of a model, with their errors. The default key of a new model is that of its table. `known` are
 * columns from an earlier query.
 */
export const useModelDraft = ({
  dataSource,
  initial,
  known,
  isNew,
  open,
}: {
  /** A resource name. */
  dataSource: string
  initial: ModelDraft
  known: readonly string[]
  isNew: boolean
  /** Whether the query is being edited. */
  open: boolean
}) => {
  const begin: Draft = { ...initial, key: isNew ? undefined : initial.key }
  const [entered, setEntered] = useState<Draft>(begin)
  const [asked, setAsked] = useState<readonly string[] | undefined>()
  const [problems, setProblems] = useState<DraftProblems>({})
  const [failure, setFailure] = useState<unknown>()
  const { kind, table } = entered
  // If the database cannot be reached, the list of tables shows that.
  const { data: ofTable = [] } = useQuery({
    ...tableQuery(dataSource, table ?? { schema: '', name: '' }),
    enabled: open && kind === 'table' && table !== undefined,
  })
  const own = kind === 'table' ? ofTable : []
  const columns = asked ?? (own.length > 0 ? own.map(({ name }) => name) : known)
  const draft: ModelDraft = {
    ...entered,
    key: entered.key ?? own.filter(({ in_key }) => in_key).map(({ name }) => name),
  }
  const change = (some: Partial<Draft>): void => {
    setEntered((before) => ({ ...before, ...some }))
    setProblems({})
    setFailure(undefined)
  }
  return {
    draft,
    columns,
    problems,
    failure,
    changed: JSON.stringify(entered) !== JSON.stringify(begin),
    query: queryOf(draft),
    change,
    /** Changes the kind of query, and keeps the columns and the key of the previous kind as a start. */
    chooseKind: (next: ModelDraft['kind']): void => {
      setAsked(columns)
      change({ kind: next, key: draft.key })
    },
    /** Chooses a table. A title that the user has not changed becomes that of the table. */
    chooseTable: (next: TableName): void => {
      const untitled = draft.title === (table?.title ?? table?.name ?? '')
      change({ table: next, key: undefined, ...(untitled ? { title: next.title ?? next.name } : {}) })
      setAsked(undefined)
    },
    /** Sets the columns that the database reports for the query. */
    setFoundColumns: setAsked,
    setFoundProblems: setProblems,
    reset: (): void => {
      change(begin)
      setAsked(undefined)
    },
    /** Saves a complete draft. Shows errors by field, including those of the server. */
    save: async (send: (input: ModelInput) => Promise<unknown>): Promise<void> => {
      const input = inputOf(draft)
      setFailure(undefined)
      if (input === undefined) return setProblems(problemsOf(draft))
      try {
        await send(input)
      } catch (error) {
        const refused = refusalOf(error)
        setProblems(refused)
        if (Object.keys(refused).length === 0) setFailure(error)
      }
    },
  }
}
