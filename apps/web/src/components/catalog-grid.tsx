import { type ReactNode, useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { markupText } from '../lib/format/markup.ts'
import { pluralise } from '../lib/format/text.ts'
import { AppIcon } from '../ui/app-icon.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { SearchInput, Select } from '../ui/forms/input.tsx'
import { LoadingNote } from '../ui/page/loading-note.tsx'
import { Skeleton } from '../ui/page/skeleton.tsx'
import { searchCards } from './search-cards.ts'

export type CatalogCard = {
  name: string
  title: string
  description: string
  icon: string
  /** The card is shown under its first category; each category can be selected. */
  categories: readonly string[]
  /** What the connector can do; each ability can be selected. */
  abilities?: readonly string[]
  /** Whether the card is shown before all categories, while none is chosen. */
  popular?: boolean
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
    {card.abilities !== undefined && (
      <span className="mt-auto block text-xs text-ink-3">{card.abilities.join(' · ')}</span>
    )}
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

/** A choice of one name, or of all. */
const Choice = ({
  label,
  all,
  names,
  chosen,
  onChoose,
}: {
  label: string
  all: string
  /** Each name with its number of cards. */
  names: readonly (readonly [string, number])[]
  chosen: string
  onChoose: (name: string) => void
}) => (
  <Select
    aria-label={label}
    className="w-full sm:w-60"
    value={chosen}
    onChange={({ target }) => onChoose(target.value)}
  >
    <option value="">{all}</option>
    {names
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
  </Select>
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

/** With more categories than this, a list replaces the buttons. */
const maxButtons = 8

/** Returns the names of all cards with their number of cards. */
const counted = (cards: readonly CatalogCard[], namesOf: (card: CatalogCard) => readonly string[]) => {
  const names = new Set(cards.flatMap(namesOf))
  return [...names].map((name) => [name, cards.filter((card) => namesOf(card).includes(name)).length] as const)
}

const NoMatch = ({
  search,
  category,
  onAll,
  otherwise,
}: {
  search: string
  category: string
  onAll: () => void
  otherwise: ReactNode
}) => (
  <div className="space-y-3 py-10 text-center text-ink-3">
    <p>
      Nothing in the catalog matches “{search}”{category === '' ? '' : ` in ${category}`}.
    </p>
    {category === '' ? otherwise : <Button onClick={onAll}>Search all categories</Button>}
  </div>
)

const Groups = ({ groups, noun }: { groups: readonly (readonly [string, readonly CatalogCard[]])[]; noun: string }) =>
  groups.map(([name, group]) => (
    <section key={name} aria-labelledby={`category-${name}`} className="space-y-3">
      <h2 id={`category-${name}`} className="text-base font-semibold">
        {name === '' ? 'Other' : name}
      </h2>
      <Cards cards={group.map((card) => ({ ...card, categories: [] }))} noun={noun} />
    </section>
  ))

/**
 * The catalog as cards, with a search in title, category, and description that forgives typing errors. With several
 * categories, the cards are in groups, popular ones first, and one category can be chosen. Search, category, and ability
 * are in the URL, so that Back restores them.
 */
export const CatalogGrid = ({
  label,
  noun,
  cards,
  order = [],
  otherwise,
}: {
  label: string
  noun: string
  cards: readonly CatalogCard[]
  /** The order of the categories; others come in the order of their cards. */
  order?: readonly string[]
  /** Shown if nothing in the whole catalog matches: the next step of users. */
  otherwise?: ReactNode
}) => {
  const [params, setParams] = useSearchParams()
  const [search, setSearch] = useState(params.get('search') ?? '')
  const groups = useMemo(() => {
    const isPopular = ({ popular: is }: CatalogCard): boolean => is === true
    const popular = cards.filter(isPopular)
    const placeOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)
    const rest = [
      ...Map.groupBy(
        cards.filter((card) => !isPopular(card)),
        kindOf,
      ),
    ].toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    return [...(popular.length === 0 ? [] : [['Popular', popular] as const]), ...rest]
  }, [cards, order])
  const kinds = useMemo(() => counted(cards, (card) => card.categories), [cards])
  const abilities = useMemo(() => counted(cards, (card) => card.abilities ?? []), [cards])
  const chosenOf = (name: string, of: readonly (readonly [string, number])[]): string => {
    const given = params.get(name) ?? ''
    return of.some(([known]) => known === given) ? given : ''
  }
  const category = chosenOf('category', kinds)
  const ability = chosenOf('ability', abilities)
  const set = (values: Readonly<Record<string, string>>): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(values))
          if (value === '') next.delete(name)
          else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const wanted = search.trim().toLowerCase()
  const isFiltered = category !== '' || ability !== '' || wanted !== ''
  const shown = searchCards(
    cards.filter(
      (card) =>
        (category === '' || card.categories.includes(category)) &&
        (ability === '' || card.abilities?.includes(ability) === true),
    ),
    wanted,
  )
  const choice = {
    label: 'Category',
    names: kinds,
    chosen: category,
    onChoose: (name: string) => set({ category: name }),
  }
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchInput
          label={label}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            set({ search: event.target.value })
          }}
        />
        {kinds.length > maxButtons && <Choice {...choice} all={`All categories (${cards.length})`} />}
        {kinds.length > 1 && kinds.length <= maxButtons && (
          <Categories groups={kinds} total={cards.length} chosen={category} onChoose={choice.onChoose} />
        )}
        {abilities.length > 1 && (
          <Choice
            label="Ability"
            all="All abilities"
            names={abilities}
            chosen={ability}
            onChoose={(name) => set({ ability: name })}
          />
        )}
      </div>
      <output className="sr-only">{isFiltered ? `${shown.length} of ${cards.length} shown` : ''}</output>
      {shown.length === 0 && (
        <NoMatch
          search={search}
          category={category === '' ? ability : category}
          onAll={() => set({ category: '', ability: '' })}
          otherwise={otherwise}
        />
      )}
      {groups.length > 1 && !isFiltered ? <Groups groups={groups} noun={noun} /> : <Cards cards={shown} noun={noun} />}
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
