import { type ElementErrors, type QueryOperator, type QueryType, queryOperators } from '@tributary/contract'
import { Plus, Redo2, Undo2 } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { FieldError } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { addGroup, addQuery, addSegment, changeGroup, type DraftGroup, type DraftSegment } from './draft.ts'
import { NodeButtons } from './node-buttons.tsx'
import { QueryRow } from './query-row.tsx'
import type { Building } from './use-draft.ts'

type Errors = ReadonlyMap<string, ElementErrors>
type Shared = { errors: Errors; building: Building; own: string }

const OperatorSelect = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: QueryOperator
  onChange: (value: QueryOperator) => void
}) => (
  <Select
    aria-label={label}
    className="w-20"
    value={value}
    onChange={({ target }) => {
      const operator = queryOperators.find((each) => each === target.value)
      if (operator !== undefined) onChange(operator)
    }}
  >
    <option value="and">and</option>
    <option value="or">or</option>
  </Select>
)

const adds: readonly { type: QueryType; label: string }[] = [
  { type: 'event', label: 'Event' },
  { type: 'attribute', label: 'Trait' },
  { type: 'audience', label: 'Audience' },
]

const SegmentBox = ({
  segment,
  position,
  group,
  errors,
  building,
  own,
}: Shared & { segment: DraftSegment; position: number; group: number }) => (
  <section aria-label={`Segment ${position} of group ${group}`} className="rounded-md border border-line bg-canvas p-3">
    <header className="mb-2 flex items-center gap-1">
      <h3 className="flex-1 text-xs font-medium text-ink-3">Segment {position} · all of these conditions</h3>
      <NodeButtons name={`segment ${position}`} id={segment.id} building={building} />
    </header>
    <ul className="divide-y divide-line">
      {segment.queries.map((query, index) => (
        <QueryRow key={query.id} query={query} position={index + 1} errors={errors} building={building} own={own} />
      ))}
    </ul>
    <FieldError id={`${segment.id}-error`} message={Object.values(errors.get(segment.id) ?? {})[0]} />
    <div className="mt-3 flex flex-wrap items-center gap-2">
      <span className="text-xs text-ink-3">Add</span>
      {adds.map(({ type, label }) => (
        <Button
          key={type}
          size="sm"
          aria-label={`Add ${label.toLowerCase()} condition`}
          onClick={() => building.change((tree) => addQuery(tree, segment.id, type))}
        >
          <Plus aria-hidden />
          {label}
        </Button>
      ))}
    </div>
  </section>
)

const GroupBox = ({ id, group, position, ...shared }: Shared & { id: string; group: DraftGroup; position: number }) => {
  const { errors, building } = shared
  return (
    <section aria-label={`Group ${position}`} className="rounded-lg border border-line bg-surface p-4 shadow-card">
      <header className="mb-3 flex items-center gap-1">
        <h2 className="flex-1 text-sm font-semibold">Group {position}</h2>
        <NodeButtons name={`group ${position}`} id={id} building={building} />
      </header>
      <div className="space-y-2">
        {group.segments.map((segment, index) => (
          <div key={segment.id} className="space-y-2">
            {index > 0 && (
              <OperatorSelect
                label={`How the segments of group ${position} go together`}
                value={group.operator}
                onChange={(operator) => building.change((tree) => changeGroup(tree, id, { operator }))}
              />
            )}
            <SegmentBox segment={segment} position={index + 1} group={position} {...shared} />
          </div>
        ))}
      </div>
      <FieldError id={`${id}-error`} message={Object.values(errors.get(id) ?? {})[0]} />
      <div className="mt-3">
        <Button size="sm" onClick={() => building.change((tree) => addSegment(tree, id))}>
          <Plus aria-hidden />
          Add segment
        </Button>
      </div>
    </section>
  )
}

/**
 * The query builder: groups of segments of conditions. `own` is the resource name of the audience that is edited, or
 * ''.
 */
export const TreeEditor = (shared: Shared) => {
  const { errors, building } = shared
  const { tree, past, future } = building.draft
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button variant="none" size="sm" disabled={past.length === 0} onClick={building.undo}>
          <Undo2 aria-hidden />
          Undo
        </Button>
        <Button variant="none" size="sm" disabled={future.length === 0} onClick={building.redo}>
          <Redo2 aria-hidden />
          Redo
        </Button>
        <span className="ml-auto flex items-center gap-2 text-sm text-ink-2">
          Include anonymous profiles
          <Switch
            label="Include anonymous profiles"
            checked={tree.includeAnonymous}
            onChange={(includeAnonymous) => building.change((now) => ({ ...now, includeAnonymous }))}
          />
        </span>
      </div>
      {Object.entries(tree.groups).map(([id, group], index) => (
        <div key={id} className="space-y-3">
          {index > 0 && (
            <OperatorSelect
              label="How the groups go together"
              value={tree.operator}
              onChange={(operator) => building.change((now) => ({ ...now, operator }))}
            />
          )}
          <GroupBox id={id} group={group} position={index + 1} {...shared} />
        </div>
      ))}
      <FieldError id="query-error" message={Object.values(errors.get('') ?? {})[0]} />
      <Button onClick={() => building.change(addGroup)}>
        <Plus aria-hidden />
        Add group
      </Button>
    </div>
  )
}
