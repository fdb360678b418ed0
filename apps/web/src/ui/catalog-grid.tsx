import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { markupText } from '../lib/markup.ts'
import { pluralise } from '../lib/text.ts'
import { AppIcon } from './app-icon.tsx'
import { Badge } from './badge.tsx'
import { SearchInput } from './input.tsx'
import { LoadingNote } from './loading-note.tsx'
import { Skeleton } from './skeleton.tsx'

export type CatalogCard = {
  name: string
  title: string
  description: string
  icon: string
  category: string
  instances: number
  to: string
}

/** The catalogue as cards, with a search in title, category and description. */
export const CatalogGrid = ({ label, noun, cards }: { label: string; noun: string; cards: readonly CatalogCard[] }) => {
  const [search, setSearch] = useState('')
  const shown = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return cards.filter((card) => `${card.title} ${card.category} ${card.description}`.toLowerCase().includes(wanted))
  }, [cards, search])
  return (
    <div className="space-y-5">
      <SearchInput label={label} value={search} onChange={(event) => setSearch(event.target.value)} />
      {shown.length === 0 && (
        <p className="py-10 text-center text-ink-3">Nothing in the catalogue matches “{search}”.</p>
      )}
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {shown.map((card) => (
          <li key={card.name} className="flex">
            <Link
              to={card.to}
              className="flex flex-1 flex-col gap-3 rounded-lg border border-line bg-surface p-4 shadow-card transition-colors hover:border-line-strong hover:bg-hover"
            >
              <span className="flex items-center gap-3">
                <AppIcon icon={card.icon} size="md" />
                <span className="min-w-0 flex-1">
                  <span className="block truncate text-base font-semibold">{card.title}</span>
                  {card.category !== '' && <span className="block text-xs text-ink-3">{card.category}</span>}
                </span>
                {card.instances > 0 && (
                  <Badge title={`${card.instances} ${pluralise(card.instances, noun)} in this workspace`}>
                    {card.instances} in use
                  </Badge>
                )}
              </span>
              <span className="line-clamp-3 text-sm text-ink-2">{markupText(card.description)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The catalogue while it loads. */
export const CatalogSkeleton = () => (
  <div aria-busy className="space-y-5">
    <LoadingNote />
    <Skeleton className="h-8 w-full sm:w-64" />
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {[0, 1, 2, 3, 4].map((card) => (
        <div key={card} className="h-32 space-y-3 rounded-lg border border-line bg-surface p-4">
          <div className="flex items-center gap-3">
            <Skeleton className="size-9 rounded-md" />
            <Skeleton className="h-3 w-28" />
          </div>
          <Skeleton className="h-3 w-full" />
          <Skeleton className="h-3 w-2/3" />
        </div>
      ))}
    </div>
  </div>
)
