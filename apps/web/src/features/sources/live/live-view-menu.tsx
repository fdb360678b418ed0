import { Settings2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { Popover } from '../../../ui/overlays/popover.tsx'
import { lazyPart } from '../../../ui/page/lazy-part.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import type { LiveState } from './live-events.ts'
import { propertyNames } from './live-property.ts'
import { densities, setDensity, setProperty, useLiveView } from './live-view.ts'

// Loaded on first use: suggestions need a library that the table does not need.
const SuggestInput = lazyPart(
  async () => (await import('../../../ui/forms/suggest-input.tsx')).SuggestInput,
  <Skeleton className="h-9 w-full" />,
)

const densityWords = { comfortable: 'Comfortable', compact: 'Compact' } as const

const DensityChoice = () => {
  const density = useLiveView((view) => view.density)
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Density</legend>
      <div className="grid grid-cols-2 gap-1 rounded-md bg-sunken p-1">
        {densities.map((each) => (
          <label
            key={each}
            className={cn(
              'flex h-7 cursor-pointer items-center justify-center rounded-sm text-xs font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent',
              each === density ? 'bg-surface text-ink shadow-card' : 'text-ink-2 hover:text-ink',
            )}
          >
            <input
              type="radio"
              name="density"
              className="sr-only"
              checked={each === density}
              onChange={() => setDensity(each)}
            />
            {densityWords[each]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

const PropertyChoice = ({ source, state }: { source: string; state: LiveState }) => {
  const chosen = useLiveView(({ properties }) => properties[source] ?? '')
  const [typed, setTyped] = useState(chosen)
  const suggestions = useMemo(
    () => propertyNames(state.schema, state.events).map((value) => ({ value })),
    [state.schema, state.events],
  )
  return (
    <Field
      label="Property column"
      hint="A property or trait, such as total or address.city. Leave empty to hide the column."
    >
      {(control) => (
        <SuggestInput
          {...control}
          mono
          value={typed}
          maxLength={200}
          placeholder="None"
          suggestions={suggestions}
          onChange={(value) => {
            setTyped(value)
            setProperty(source, value.trim())
          }}
        />
      )}
    </Field>
  )
}

/** The view of the live table: its density, its property column, and a reset. */
export const LiveViewMenu = ({ source, state, onReset }: { source: string; state: LiveState; onReset: () => void }) => {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      title="View"
      align="end"
      trigger={
        <Button variant="none" size="sm">
          <Settings2 aria-hidden />
          View
        </Button>
      }
    >
      <div className="space-y-4 px-4 py-4">
        <DensityChoice />
        <PropertyChoice source={source} state={state} />
        <div className="border-t border-line pt-3">
          <Button
            size="sm"
            onClick={() => {
              onReset()
              setOpen(false)
            }}
          >
            Clear list and filters
          </Button>
        </div>
      </div>
    </Popover>
  )
}
