import { useQuery } from '@tanstack/react-query'
import { countOperators, type ElementErrors, intervalUnits } from '@tributary/contract'
import { Plus } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { AttributeRow } from '../../../components/attribute-row.tsx'
import { WarningsOf } from '../../../components/name-warnings.tsx'
import { audiencesQuery, suggestionsQuery } from '../../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { FieldError } from '../../../ui/forms/field.tsx'
import { Input, Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { SuggestInput } from '../../../ui/forms/suggest-input.tsx'
import { countTitles } from '../audience-words.ts'
import { addAttribute, changeAttribute, changeQuery, type DraftQuery, remove } from './draft.ts'
import { NodeButtons } from './node-buttons.tsx'
import type { Building } from './use-draft.ts'

type Errors = ReadonlyMap<string, ElementErrors>
type Part = { query: DraftQuery; errors: ElementErrors; building: Building; errorId: string }

const wrong = ({ errors, errorId }: Part, field: string) =>
  errors[field] === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': errorId } as const)

const isNever = ({ count }: DraftQuery): boolean => count.operator !== 'at_least' && String(count.value) === '0'

const units = { day: 'days', month: 'months (30 days)' } as const

/** The time range of an event: in the last days or months, between two dates, or any time. */
const WhenFields = ({ part, set }: { part: Part; set: (change: Partial<DraftQuery>) => void }) => {
  const { timeframe, dates } = part.query
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="When"
        className="w-36"
        value={dates !== undefined ? 'between' : timeframe === null ? 'ever' : 'last'}
        onChange={({ target }) =>
          set({
            timeframe: target.value === 'last' ? { time: { unit: 'day', value: 30 } } : null,
            dates: target.value === 'between' ? { first: '', last: '' } : undefined,
          })
        }
      >
        <option value="last">in the last</option>
        <option value="between">between dates</option>
        <option value="ever">at any time</option>
      </Select>
      {dates !== undefined &&
        (['first', 'last'] as const).map((end) => (
          <Input
            key={end}
            aria-label={end === 'first' ? 'First date' : 'Last date'}
            placeholder="2026-03-04"
            className="w-40"
            value={dates[end]}
            onChange={({ target }) => set({ dates: { ...dates, [end]: target.value } })}
            {...wrong(part, end)}
          />
        ))}
      {timeframe !== null && (
        <>
          <Input
            aria-label="Number of days or months"
            inputMode="numeric"
            className="w-16"
            value={String(timeframe.time.value)}
            onChange={({ target }) => set({ timeframe: { time: { ...timeframe.time, value: target.value } } })}
            {...wrong(part, 'time.value')}
          />
          <Select
            aria-label="Unit of time"
            className="w-40"
            value={timeframe.time.unit}
            onChange={({ target }) => {
              const unit = intervalUnits.find((each) => each === target.value)
              if (unit !== undefined) set({ timeframe: { time: { ...timeframe.time, unit } } })
            }}
          >
            <Options of={intervalUnits} title={(unit) => units[unit]} />
          </Select>
        </>
      )}
    </div>
  )
}

const EventFields = (part: Part) => {
  const { query, building } = part
  const workspace = useWorkspace().name
  const [asked, setAsked] = useState(false)
  const events = useQuery({ ...suggestionsQuery(workspace, { kind: 'event' }), enabled: asked }).data
  const set = (change: Partial<DraftQuery>): void =>
    building.change((tree) => changeQuery(tree, query.id, change), query.id)
  const never = isNever(query)
  const { count } = query
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Select
          aria-label="Performed or not"
          className="w-32"
          value={never ? 'never' : 'did'}
          onChange={({ target }) =>
            set({
              count: target.value === 'never' ? { operator: 'exactly', value: 0 } : { operator: 'at_least', value: 1 },
            })
          }
        >
          <option value="did">Did</option>
          <option value="never">Did not do</option>
        </Select>
        <span className="w-56 max-sm:w-full">
          <SuggestInput
            aria-label="Event"
            placeholder="Event"
            value={query.selectedEvent}
            suggestions={(events ?? []).map(({ text }) => ({ value: text }))}
            onFocus={() => setAsked(true)}
            onChange={(selectedEvent) => set({ selectedEvent })}
            {...wrong(part, 'selectedEvent')}
          />
        </span>
      </div>
      {!never && (
        <div className="flex items-center gap-2">
          <Select
            aria-label="How often"
            className="w-28"
            value={count.operator}
            onChange={({ target }) => {
              const operator = countOperators.find((each) => each === target.value)
              if (operator !== undefined) set({ count: { ...count, operator } })
            }}
          >
            <Options of={countOperators} title={(operator) => countTitles[operator]} />
          </Select>
          <Input
            aria-label="Times"
            inputMode="numeric"
            className="w-16"
            value={String(count.value)}
            onChange={({ target }) => set({ count: { ...count, value: target.value } })}
            {...wrong(part, 'count.value')}
          />
          <span className="text-sm text-ink-2">times</span>
        </div>
      )}
      <WhenFields part={part} set={set} />
    </div>
  )
}

const AudienceFields = ({ own, ...part }: Part & { own: string }) => {
  const { query, building } = part
  const audiences = useQuery(audiencesQuery(useWorkspace().name)).data ?? []
  const { name = '', member = true } = query.selectedAudience ?? {}
  const set = (change: { name?: string; member?: boolean }): void =>
    building.change((tree) => changeQuery(tree, query.id, { selectedAudience: { name, member, ...change } }), query.id)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="In or not in"
        className="w-32"
        value={member ? 'in' : 'not'}
        onChange={({ target }) => set({ member: target.value === 'in' })}
      >
        <option value="in">Is in</option>
        <option value="not">Is not in</option>
      </Select>
      <Select
        aria-label="Audience"
        className="w-72 max-sm:w-full"
        value={name}
        onChange={({ target }) => set({ name: target.value })}
        {...wrong(part, 'selectedAudience.name')}
      >
        <option value="">Choose an audience</option>
        {audiences
          .filter((each) => each.name !== own)
          .map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
      </Select>
    </div>
  )
}

const kinds = { event: 'Event', attribute: 'Trait', audience: 'Audience', list: 'List' } as const

/** One condition of a segment, with its errors; `own` is the edited audience, to which its conditions cannot refer. */
export const QueryRow = ({
  query,
  position,
  errors: all,
  building,
  own,
}: {
  query: DraftQuery
  /** Position in its segment, starting with 1. */
  position: number
  errors: Errors
  building: Building
  own: string
}) => {
  const errorId = useId()
  const errors = all.get(query.id) ?? {}
  const part = { query, errors, building, errorId }
  const noun = query.type === 'event' ? 'property' : 'trait'
  const fields: Readonly<Record<DraftQuery['type'], ReactNode>> = {
    event: <EventFields {...part} />,
    attribute: <p className="flex h-8 items-center text-sm text-ink-2">All of these traits</p>,
    audience: <AudienceFields {...part} own={own} />,
    // A list is imported and never built.
    list: null,
  }
  return (
    <li aria-label={`${kinds[query.type]} condition ${position}`} className="space-y-2 py-3 first:pt-0 last:pb-0">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">{fields[query.type]}</div>
        <NodeButtons name={`condition ${position}`} id={query.id} building={building} />
      </div>
      <FieldError id={errorId} message={Object.values(errors)[0]} />
      <WarningsOf ids={[query.id, ...query.selectedAttributes.map(({ id }) => id)]} />
      {query.selectedAttributes.length > 0 && (
        <ul className="space-y-2 sm:space-y-4 sm:border-l-2 sm:border-line sm:pl-3">
          {query.selectedAttributes.map((attribute) => (
            <AttributeRow
              key={attribute.id}
              noun={noun}
              event={query.selectedEvent}
              attribute={attribute}
              errors={all.get(attribute.id)}
              onChange={(change) =>
                building.change((tree) => changeAttribute(tree, attribute.id, change), attribute.id)
              }
              onRemove={() => building.change((tree) => remove(tree, attribute.id))}
            />
          ))}
        </ul>
      )}
      {query.type !== 'audience' && (
        <Button size="sm" variant="none" onClick={() => building.change((tree) => addAttribute(tree, query.id))}>
          <Plus aria-hidden />
          Add {noun}
        </Button>
      )}
    </li>
  )
}
