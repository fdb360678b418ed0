import { Autocomplete as Base } from '@base-ui/react/autocomplete'
import { useMemo, useState } from 'react'
import { cn } from '../cn.ts'
import { Input, type InputProps } from './input.tsx'

/** A text to insert into a field. `value` is the text, the rest describes it. */
export type Suggestion = { value: string; title?: string; note?: string }

/** Maximum number of listed suggestions. Typing finds all others. */
const maxShown = 60

/** True if the suggestion contains all typed words. */
const fits = ({ value, title = '' }: Suggestion, typed: string): boolean => {
  const text = `${value} ${title}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A line of text with suggestions below it. Any text is accepted. */
export const SuggestInput = ({
  value,
  onChange,
  suggestions,
  mono = false,
  className,
  disabled = false,
  ...rest
}: Omit<InputProps, 'value' | 'onChange' | 'list'> & {
  value: string
  onChange: (value: string) => void
  suggestions: readonly Suggestion[]
  /** Shows the text in a monospaced font, for names in code. */
  mono?: boolean
}) => {
  const [open, setOpen] = useState(false)
  // After a suggestion was chosen, its value does not filter the list.
  const exact = useMemo(() => suggestions.some((each) => each.value === value), [suggestions, value])
  const shown = useMemo(
    () => (exact ? suggestions : suggestions.filter((each) => fits(each, value))).slice(0, maxShown),
    [suggestions, value, exact],
  )
  return (
    <Base.Root
      items={suggestions}
      filteredItems={shown}
      value={value}
      onValueChange={(next, { reason }) => {
        // The library would clear the field on Escape. Instead, Escape closes the list, and a second Escape closes the
        // window around the field.
        if (reason !== 'escape-key') onChange(next)
      }}
      itemToStringValue={(each: Suggestion) => each.value}
      openOnInputClick
      open={open && shown.length > 0}
      onOpenChange={setOpen}
      disabled={disabled}
    >
      <Base.Input
        render={<Input {...rest} />}
        // Suggestions that arrive after the field was left would cover the next field.
        onBlur={({ relatedTarget }) => {
          if (relatedTarget !== null && relatedTarget.closest('[role="listbox"]') === null) setOpen(false)
        }}
        autoComplete="off"
        spellCheck={false}
        className={cn(mono && value !== '' && 'font-mono text-xs max-sm:text-lg', className)}
      />
      {open && shown.length > 0 && (
        <Base.Portal>
          <Base.Positioner sideOffset={4} align="start" collisionPadding={8} className="z-50">
            <Base.Popup className="max-h-[min(20rem,var(--available-height))] w-[max(var(--anchor-width),min(22rem,calc(100vw-1rem)))] overflow-y-auto scroll-thin rounded-lg bg-raised p-1 shadow-pop">
              <Base.List>
                {shown.map((each) => (
                  <Base.Item
                    key={each.value}
                    value={each}
                    className="flex cursor-default items-baseline gap-3 rounded-sm px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
                  >
                    <span className="min-w-0 flex-1">
                      <span className={cn('block truncate', mono && 'font-mono text-xs')}>{each.value}</span>
                      {each.title !== undefined && each.title !== '' && (
                        <span className="block truncate text-xs text-ink-3">{each.title}</span>
                      )}
                    </span>
                    {each.note !== undefined && each.note !== '' && (
                      <span className="max-w-36 shrink-0 truncate text-xs text-ink-3">{each.note}</span>
                    )}
                  </Base.Item>
                ))}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      )}
    </Base.Root>
  )
}
