import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { markupText } from '../lib/format/markup.ts'
import { pluralise } from '../lib/format/text.ts'
import { AppIcon } from '../ui/app-icon.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { SearchInput } from '../ui/forms/input.tsx'
import { LoadingNote } from '../ui/page/loading-note.tsx'
import { Skeleton } from '../ui/page/skeleton.tsx'

export type CatalogCard = {
  name: string
  title: string
  description: string
  icon: string
  /** The card is shown under its first category; each category can be selected. */
  categories: readonly string[]
  instances: number
  to: string
}

const kindOf = (card: CatalogCard): string => card.categories[0] ?? ''

const Card = ({ card, noun }: { card: CatalogCard; noun: string }) => (
  <Link
    to={card.to}
    className="flex min-w-0 flex-1 flex-col gap-3 rounded-lg border border-line bg-surface p-4 shadow-card transition-colors hover:border-line-strong hover:bg-hover"
  >
    <span className="flex items-center gap-3">
      <AppIcon icon={card.icon} size="md" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-base font-semibold wrap-anywhere">{card.title}</span>
          {card.instances > 0 && (
            <Badge title={`${card.instances} ${pluralise(card.instances, noun)} in this workspace`}>
              {card.instances} in use
            </Badge>
          )}
        </span>
        {card.categories.length > 0 && <span className="block text-xs text-ink-3">{card.categories.join(' · ')}</span>}
      </span>
    </span>
    <span className="line-clamp-3 text-sm text-ink-2">{markupText(card.description)}</span>
  </Link>
)

const Cards = ({ cards, noun }: { cards: readonly CatalogCard[]; noun: string }) => (
  <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
    {cards.map((card) => (
      <li key={card.name} className="flex">
        <Card card={card} noun={noun} />
      </li>
    ))}
  </ul>
)

const Categories = ({
  groups,
  total,
  chosen,
  onChoose,
}: {
  /** Each category with its number of cards. */
  groups: readonly (readonly [string, number])[]
  total: number
  chosen: string
  onChoose: (category: string) => void
}) => (
  <fieldset aria-label="Category" className="flex min-w-0 flex-wrap gap-1.5">
    {[['', total] as const, ...groups].map(([name, count]) => (
      <button
        key={name}
        type="button"
        aria-pressed={chosen === name}
        onClick={() => onChoose(name)}
        className={cn(
          'h-8 rounded-full border px-3 text-sm font-medium',
          chosen === name
            ? 'border-line-strong bg-active text-ink'
            : 'border-line bg-surface text-ink-2 hover:bg-hover hover:text-ink',
        )}
      >
        {name === '' ? 'All' : name} <span className="text-xs text-ink-3 tabular">{count}</span>
      </button>
    ))}
  </fieldset>
)

/**
 * The catalog as cards, with a search in title, category and description. With several categories, the cards are in
 * groups, and one category can be chosen. Search and category are in the URL, so that Back restores them.
 */
export const CatalogGrid = ({ label, noun, cards }: { label: string; noun: string; cards: readonly CatalogCard[] }) => {
  const [params, setParams] = useSearchParams()
  const [search, setSearch] = useState(params.get('search') ?? '')
  const groups = useMemo(() => Map.groupBy(cards, kindOf), [cards])
  const kinds = useMemo(() => {
    const names = new Set(cards.flatMap((card) => card.categories))
    return [...names].map((name) => [name, cards.filter((card) => card.categories.includes(name)).length] as const)
  }, [cards])
  const given = params.get('category') ?? ''
  const category = kinds.some(([name]) => name === given) ? given : ''
  const set = (name: string, value: string): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const wanted = search.trim().toLowerCase()
  const shown = cards.filter(
    (card) =>
      (category === '' || card.categories.includes(category)) &&
      `${card.title} ${card.categories.join(' ')} ${card.description}`.toLowerCase().includes(wanted),
  )
  const apart = groups.size > 1 && category === '' && wanted === ''
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchInput
          label={label}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            set('search', event.target.value)
          }}
        />
        {kinds.length > 1 && (
          <Categories
            groups={kinds}
            total={cards.length}
            chosen={category}
            onChoose={(name) => set('category', name)}
          />
        )}
      </div>
      <output className="sr-only">
        {wanted === '' && category === '' ? '' : `${shown.length} of ${cards.length} shown`}
      </output>
      {shown.length === 0 && (
        <div className="space-y-3 py-10 text-center text-ink-3">
          <p>
            Nothing in the catalog matches “{search}”{category === '' ? '' : ` in ${category}`}.
          </p>
          {category !== '' && <Button onClick={() => set('category', '')}>Search all categories</Button>}
        </div>
      )}
      {apart ? (
        [...groups].map(([name, group]) => (
          <section key={name} aria-labelledby={`category-${name}`} className="space-y-3">
            <h2 id={`category-${name}`} className="text-base font-semibold">
              {name === '' ? 'Other' : name}
            </h2>
            <Cards cards={group.map((card) => ({ ...card, categories: [] }))} noun={noun} />
          </section>
        ))
      ) : (
        <Cards cards={shown} noun={noun} />
      )}
    </div>
  )
}

/** The catalog while it is loading. */
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
