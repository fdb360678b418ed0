import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronDown, X } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Field } from './field.tsx'
import { useField } from './form.tsx'
import { choiceBox, matching, PopupSearch } from './search-select.tsx'

/** One entry of a picker: its value, its title, and its picture. */
export type PickerEntry = { value: string; title: string; description?: string; icon: ReactNode }

/** Entries under a heading. A group without entries is omitted. */
export type PickerGroup = { heading: string; entries: readonly PickerEntry[] }

const Entry = ({ entry }: { entry: PickerEntry }) => (
  <Base.Item
    value={entry}
    className="flex h-7 cursor-default items-center gap-2 rounded-sm px-2 text-sm outline-none select-none data-highlighted:bg-hover max-sm:h-10"
  >
    <span aria-hidden className="grid size-5 shrink-0 place-items-center text-ink-2 [&_svg]:size-4">
      {entry.icon}
    </span>
    <span className="max-w-full shrink-0 truncate font-medium">{entry.title}</span>
    <span className="min-w-0 flex-1 truncate text-xs text-ink-3" title={entry.description}>
      {entry.description}
    </span>
    <Base.ItemIndicator className="shrink-0 text-accent-ink">
      <Check aria-hidden className="size-4" />
    </Base.ItemIndicator>
  </Base.Item>
)

const List = ({ groups }: { groups: readonly PickerGroup[] }) => (
  <Base.List className="max-h-72 overflow-auto p-1 scroll-thin empty:hidden">
    {groups.map(
      (group) =>
        group.entries.length > 0 && (
          <Base.Group
            key={group.heading}
            className="not-first:mt-1 not-first:border-t not-first:border-line not-first:pt-1"
          >
            <Base.GroupLabel className="px-2 py-1 text-xs font-medium text-ink-3">{group.heading}</Base.GroupLabel>
            {group.entries.map((entry) => (
              <Entry key={entry.value} entry={entry} />
            ))}
          </Base.Group>
        ),
    )}
  </Base.List>
)

const Popup = ({ label, groups }: { label: string; groups: readonly PickerGroup[] }) => (
  <Base.Portal>
    <Base.Positioner sideOffset={4} align="start" collisionPadding={8} className="z-50">
      <Base.Popup
        aria-label={label}
        className="w-96 max-w-[calc(100vw-1rem)] rounded-lg bg-raised shadow-pop transition duration-100 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0"
      >
        <PopupSearch />
        <Base.Empty className="px-3 py-4 text-center text-sm text-ink-3 empty:hidden">No matches</Base.Empty>
        <List groups={groups} />
      </Base.Popup>
    </Base.Positioner>
  </Base.Portal>
)

/** Maximum number of entries of a group in the list. Typing finds all others. */
const maxEntries = 60

/** Returns the groups with only those entries that match the typed text. */
const narrowed = (groups: readonly PickerGroup[], typed: string): PickerGroup[] =>
  groups.map(({ heading, entries }) => {
    const found = new Set(
      matching(
        entries.map(({ value, title, description = '' }) => ({ value, title, note: description })),
        typed,
      ).map(({ value }) => value),
    )
    return { heading, entries: entries.filter(({ value }) => found.has(value)).slice(0, maxEntries) }
  })

/**
 * A labeled choice among entries with pictures, in groups, inside a Form. Typing searches the entries, and the choice
 * can be cleared. A list of more than 18rem scrolls.
 */
export const PickerField = ({
  name,
  label,
  placeholder,
  required = false,
  hint,
  groups,
}: {
  name: string
  label: string
  placeholder: string
  required?: boolean
  hint?: ReactNode
  groups: readonly PickerGroup[]
}) => {
  const { value, error, change, ref } = useField(name)
  const [typed, setTyped] = useState('')
  const shown = useMemo(() => narrowed(groups, typed), [groups, typed])
  const entries = groups.flatMap((group) => group.entries)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {({ id, ...described }) => {
        const chosen = entries.find((entry) => entry.value === value)
        return (
          <span className="relative block">
            <Base.Root
              items={entries}
              filteredItems={shown.flatMap((group) => group.entries)}
              value={chosen ?? null}
              onValueChange={(entry: PickerEntry | null) => {
                if (entry !== null) change(entry.value)
              }}
              inputValue={typed}
              onInputValueChange={setTyped}
              onOpenChangeComplete={(open) => {
                if (!open) setTyped('')
              }}
              itemToStringLabel={(entry: PickerEntry) => entry.title}
              itemToStringValue={(entry: PickerEntry) => entry.value}
              isItemEqualToValue={(one: PickerEntry, other: PickerEntry) => one.value === other.value}
              autoHighlight
            >
              <Base.Trigger id={id} ref={ref} {...described} className={choiceBox}>
                {chosen !== undefined && (
                  <span aria-hidden className="grid size-5 shrink-0 place-items-center text-ink-2 [&_svg]:size-4">
                    {chosen.icon}
                  </span>
                )}
                <span className={chosen === undefined ? 'flex-1 truncate text-ink-3' : 'mr-6 flex-1 truncate'}>
                  {chosen?.title ?? placeholder}
                </span>
                <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-3" />
              </Base.Trigger>
              <Popup label={label} groups={shown} />
            </Base.Root>
            {chosen !== undefined && (
              <button
                type="button"
                aria-label={`Clear ${label}`}
                onClick={() => change('')}
                className="absolute top-1/2 right-8 grid size-6 -translate-y-1/2 place-items-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            )}
          </span>
        )
      }}
    </Field>
  )
}
