import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { cn } from '../../ui/cn.ts'

const states = ['filled', 'empty', 'loading', 'failed'] as const
type State = (typeof states)[number]

const stateOf = (search: URLSearchParams): State => states.find((state) => state === search.get('state')) ?? 'filled'

/** Links to the same page with another value of one query parameter. */
const Choices = ({ name, label, values }: { name: string; label: string; values: readonly string[] }) => {
  const [search] = useSearchParams()
  const chosen = search.get(name) ?? values[0]
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1 text-sm">
      {values.map((value) => (
        <Link
          key={value}
          to={{ search: `${new URLSearchParams({ ...Object.fromEntries(search), [name]: value })}` }}
          aria-current={value === chosen ? 'page' : undefined}
          className={cn(
            'rounded-md px-2 py-1 capitalize hover:bg-hover',
            value === chosen ? 'bg-active font-medium' : 'text-ink-2',
          )}
        >
          {value}
        </Link>
      ))}
    </nav>
  )
}

/** The pages of the gallery: its components, and one for each pattern. */
export const patternNames = ['parts', 'list', 'detail', 'create', 'overlays'] as const

/** Links between the pages of the gallery. */
export const PatternLinks = () => <Choices name="pattern" label="Gallery" values={patternNames} />

/** The purpose of a pattern, the parts that an area provides, and a choice of its states. */
export const Guide = ({
  use,
  fill,
  narrow,
  hasStates = false,
}: {
  use: ReactNode
  fill: readonly [name: string, what: string][]
  narrow: ReactNode
  hasStates?: boolean
}) => (
  <aside aria-label="Guidance" className="space-y-3 rounded-lg border border-line bg-surface p-5 text-sm shadow-card">
    <p>{use}</p>
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-ink-2">
      {fill.map(([name, what]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="font-mono text-xs leading-5">{name}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <p className="text-ink-2">Narrow: {narrow}</p>
    {hasStates && <Choices name="state" label="State" values={states} />}
  </aside>
)

/** Example data for a page, in the state of the gallery's URL. */
export const useExample = <Data,>(filled: Data, empty: Data): UseQueryResult<Data> => {
  const [search] = useSearchParams()
  const state = stateOf(search)
  return useQuery({
    queryKey: ['example', search.get('pattern'), state],
    retry: false,
    queryFn: () =>
      state === 'loading'
        ? new Promise<Data>(() => undefined)
        : state === 'failed'
          ? Promise.reject(new Error('The store did not answer.'))
          : state === 'empty'
            ? empty
            : filled,
  })
}
