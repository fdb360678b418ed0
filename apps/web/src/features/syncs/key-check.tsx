import { useMutation } from '@tanstack/react-query'
import { type KeyCheck as Counts, type DataQuery, methods } from '@tributary/contract'
import { CircleAlert, CircleCheck, KeyRound } from 'lucide-react'
import { call } from '../../lib/api/client.ts'
import { dataSourceIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { failureWords } from './model-draft.ts'

/** Counts the rows that prevent columns from being a key. */
const useCheckKey = (dataSource: string) =>
  useMutation({
    mutationFn: (body: { query: DataQuery; primary_key: string[] }) =>
      call(methods.dataSources.checkKey, { params: dataSourceIds(dataSource), body }),
  })

/** The result of a check, as text. */
export const keyWords = ({ rows, null_rows, duplicate_keys, duplicate_rows }: Counts): string => {
  if (rows === 0) return 'The query has no rows.'
  if (null_rows === 0 && duplicate_keys === 0)
    return rows === 1 ? '1 row, with a key of its own.' : `${count(rows)} rows, each with a key of its own.`
  return [
    null_rows > 0 ? `${count(null_rows)} ${null_rows === 1 ? 'row has' : 'rows have'} a null in the key.` : '',
    duplicate_keys > 0
      ? `${count(duplicate_rows)} rows share ${count(duplicate_keys)} ${pluralise(duplicate_keys, 'key')}.`
      : '',
    'Choose other columns, or leave these rows out with a query.',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const isKey = ({ null_rows, duplicate_keys }: Counts): boolean => null_rows === 0 && duplicate_keys === 0

/** A button that counts nulls and duplicates of a key in the database, and the result. */
export const KeyCheck = ({
  dataSource,
  query,
  columns,
}: {
  /** A resource name. */
  dataSource: string
  query: DataQuery
  columns: readonly string[]
}) => {
  const check = useCheckKey(dataSource)
  const words = check.isError ? failureWords(check.error) : check.data === undefined ? '' : keyWords(check.data)
  const ok = check.data !== undefined && isKey(check.data)
  const Icon = ok ? CircleCheck : CircleAlert
  return (
    <div className="space-y-3">
      <Button
        size="sm"
        loading={check.isPending}
        disabled={columns.length === 0}
        onClick={() => check.mutate({ query, primary_key: [...columns] })}
      >
        <KeyRound aria-hidden />
        Check key
      </Button>
      <div aria-live="polite">
        {words !== '' && !check.isPending && (
          <p
            className={cn(
              'flex items-start gap-2 rounded-md px-3 py-2 text-sm break-words',
              ok ? 'bg-success-soft text-success-ink' : 'bg-danger-soft text-danger-ink',
            )}
          >
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0">{words}</span>
          </p>
        )}
      </div>
    </div>
  )
}
