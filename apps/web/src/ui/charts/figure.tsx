import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Totals } from '../../lib/format/date-range.ts'
import { Button } from '../button.tsx'
import { LoadingNote } from '../page/loading-note.tsx'
import { Skeleton } from '../page/skeleton.tsx'
import { Change } from './change.tsx'
import { MetricValue } from './metric.tsx'

const frame = 'min-w-0 rounded-lg border border-line bg-surface px-3 py-3 shadow-card sm:px-4'

/** A number with its title. With `to`, it links to the counted items. */
export const Figure = ({ title, to, children }: { title: string; to?: string; children: ReactNode }) => {
  if (to === undefined)
    return (
      <div className={frame}>
        <h2 className="text-xs font-medium text-ink-3">{title}</h2>
        {children}
      </div>
    )
  return (
    <div className={`${frame} group relative transition-colors hover:border-line-strong hover:bg-hover`}>
      <h2 className="text-xs font-medium text-ink-3">
        <Link to={to} className="flex items-center justify-between gap-1 after:absolute after:inset-0 after:rounded-lg">
          {title}
          <ArrowRight
            aria-hidden
            className="size-3.5 shrink-0 opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100"
          />
        </Link>
      </h2>
      {children}
    </div>
  )
}

/** The number itself, or its placeholder. */
export const FigureText = ({ children }: { children: ReactNode }) => (
  <p className="mt-1 truncate text-2xl font-semibold max-sm:text-xl tabular">{children}</p>
)

/** A short note below a figure. */
export const FigureNote = ({ children }: { children: ReactNode }) => <p className="text-xs text-ink-3">{children}</p>

/** A number with a text after it. */
export const FigureValue = ({ value, children }: { value: number; children: ReactNode }) => (
  <>
    <FigureText>
      <MetricValue value={value} />
    </FigureText>
    <FigureNote>{children}</FigureNote>
  </>
)

const Waiting = () => (
  <div aria-busy>
    <LoadingNote />
    <Skeleton className="mt-2.5 h-5 w-16" />
    <Skeleton className="mt-2.5 h-3 w-24" />
  </div>
)

/**
 * A count that the server reports, compared with the previous period (`than`). If it could not be loaded, shows an
 * error with a retry instead.
 */
export const CountedFigure = ({
  title,
  to,
  query,
  than,
  lessIsBetter = false,
}: {
  title: string
  to?: string
  query: { data: Totals | undefined; isError: boolean; refetch: () => Promise<unknown> }
  than: string
  lessIsBetter?: boolean
}) => (
  <Figure title={title} {...(to === undefined ? {} : { to })}>
    {query.data !== undefined ? (
      <FigureValue value={query.data.total}>
        <Change totals={query.data} than={than} lessIsBetter={lessIsBetter} />
      </FigureValue>
    ) : query.isError ? (
      <>
        <FigureNote>Could not load the count.</FigureNote>
        <Button variant="link" size="xs" className="relative" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </>
    ) : (
      <Waiting />
    )}
  </Figure>
)
