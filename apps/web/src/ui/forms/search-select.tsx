import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronDown, Search } from 'lucide-react'
import { type ReactElement, type ReactNode, type Ref, useMemo, useState } from 'react'
import { count } from '../../lib/format/text.ts'
import { AppIcon } from '../app-icon.tsx'
import { cn } from '../cn.ts'
import { Field, type FieldControl } from './field.tsx'
import { useField } from './form.tsx'

/** An option: its value, its title, a note, and its picture. */
export type SearchOption = { value: string; title: string; note?: string; icon?: string }

/** Maximum number of options in the list. Typing finds all others. */
const maxShown = 100

/** Returns the options whose title or note contains every typed word. */
export const matching = (options: readonly SearchOption[], typed: string): SearchOption[] => {
  const words = typed
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return options.filter(({ title, note = '' }) => {
    const text = `${title} ${note}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const Option = ({ option }: { option: SearchOption }) => (
  <Base.Item
    value={option}
    className="flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
  >
    {option.icon !== undefined && <AppIcon icon={option.icon} className="size-5 border-0 p-0" />}
    <span className="min-w-0 flex-1 truncate" title={option.title}>
      {option.title}
    </span>
    {option.note !== undefined && option.note !== '' && (
      <span className="max-w-[45%] shrink-0 truncate text-xs text-ink-3">{option.note}</span>
    )}
    <Base.ItemIndicator className="shrink-0 text-accent-ink">
      <Check aria-hidden className="size-4" />
    </Base.ItemIndicator>
  </Base.Item>
)

/** The input for the search text, at the top of a list. */
export const PopupSearch = () => (
  <span className="relative block border-b border-line">
    <Search aria-hidden className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-3" />
    <Base.Input
      aria-label="Search"
      placeholder="Search"
      maxLength={200}
      className="h-9 w-full rounded-t-lg bg-transparent pr-3 pl-9 text-sm outline-none placeholder:text-ink-3 max-sm:text-lg"
    />
  </span>
)

/** Options that the server found for the typed text, and the state of the search. */
export type FoundOptions = {
  onTyped: (typed: string) => void
  /** `idle` while nothing is typed. */
  state: 'idle' | 'searching' | 'found' | 'failed'
  /** Whether more options match than are listed. */
  more: boolean
}

/** Returns the text that replaces an empty list. */
const emptyWords = (found: FoundOptions | undefined, isEmpty: boolean, emptyText: ReactNode | undefined): ReactNode => {
  if (found?.state === 'idle') return 'Type to search'
  if (found?.state === 'searching') return 'Searching…'
  if (found?.state === 'failed') return 'The search failed. Type again to retry.'
  return isEmpty && found === undefined ? (emptyText ?? 'No options') : 'No matches'
}

/** A note that the list contains only the first options. */
const MoreNote = ({ shown, found, more }: { shown: number; found: number; more: boolean }) => (
  <>
    {more && (
      <p className="border-t border-line px-3 py-1.5 text-xs text-ink-3">
        The first {count(shown)}. Type to narrow the list.
      </p>
    )}
    {found > shown && (
      <p className="border-t border-line px-3 py-1.5 text-xs text-ink-3">
        {count(shown)} of {count(found)}. Type to narrow the list.
      </p>
    )}
  </>
)

/** A list below its trigger. Typing searches it; the trigger shows the choice. */
const SearchList = ({
  label,
  options,
  value,
  onChange,
  trigger,
  align = 'start',
  footer,
  emptyText,
  found: search,
}: {
  label: string
  options: readonly SearchOption[]
  value: string | undefined
  onChange: (value: string) => void
  trigger: ReactElement
  align?: 'start' | 'end'
  footer?: ((close: () => void) => ReactNode) | undefined
  emptyText?: ReactNode
  found?: FoundOptions | undefined
}) => {
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const onTyped = search?.onTyped
  const found = useMemo(() => (onTyped === undefined ? matching(options, typed) : options), [options, typed, onTyped])
  const shown = found.slice(0, maxShown)
  const chosen = options.find((option) => option.value === value) ?? null
  return (
    <Base.Root
      items={options}
      filteredItems={shown}
      value={chosen}
      onValueChange={(option: SearchOption | null) => {
        if (option !== null) onChange(option.value)
      }}
      open={open}
      onOpenChange={setOpen}
      inputValue={typed}
      onInputValueChange={(text: string) => {
        setTyped(text)
        onTyped?.(text)
      }}
      onOpenChangeComplete={(isOpen) => {
        if (isOpen) return
        setTyped('')
        onTyped?.('')
      }}
      itemToStringLabel={(option: SearchOption) => option.title}
      itemToStringValue={(option: SearchOption) => option.value}
      isItemEqualToValue={(one: SearchOption, other: SearchOption) => one.value === other.value}
      autoHighlight
    >
      {trigger}
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} collisionPadding={8} className="z-50">
          <Base.Popup
            aria-label={label}
            className="flex max-h-[min(22rem,var(--available-height))] w-[max(var(--anchor-width),min(20rem,calc(100vw-1rem)))] max-w-[calc(100vw-1rem)] flex-col rounded-lg bg-raised shadow-pop transition duration-100 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            <PopupSearch />
            <Base.Empty className="px-3 py-4 text-center text-sm text-ink-3 empty:hidden">
              {emptyWords(search, options.length === 0, emptyText)}
            </Base.Empty>
            <Base.List className="min-h-0 flex-1 overflow-y-auto scroll-thin p-1 empty:hidden">
              {shown.map((option) => (
                <Option key={option.value} option={option} />
              ))}
            </Base.List>
            <MoreNote shown={shown.length} found={found.length} more={search?.more === true} />
            {footer !== undefined && <div className="border-t border-line p-1">{footer(() => setOpen(false))}</div>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The look of a closed select box. */
export const choiceBox =
  'flex h-8 w-full items-center gap-2 rounded-md border border-field-line bg-surface pr-2.5 pl-2.5 text-left text-base text-ink shadow-card transition-colors hover:border-ink-3 focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent/35 data-popup-open:border-accent aria-invalid:border-danger disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-3 max-sm:text-lg'

export type SearchSelectProps = {
  /** The kind of choice, such as "Source". */
  label: string
  value: string
  onChange: (value: string) => void
  options: readonly SearchOption[]
  /** Shown if nothing is chosen. */
  placeholder: string
  disabled?: boolean
  className?: string
  /** Options that the server finds. Without it, the given options are searched in the browser. */
  found?: FoundOptions
  /** The attributes of the surrounding field. Its label is then the accessible name. */
  control?: FieldControl
  ref?: Ref<HTMLButtonElement>
  onBlur?: () => void
}

/** A choice among many options, searched by typing. The value '' means no choice, unless an option has it. */
export const SearchSelect = ({
  label,
  value,
  onChange,
  options,
  placeholder,
  disabled = false,
  className,
  found,
  control,
  ref,
  onBlur,
}: SearchSelectProps) => {
  const chosen = options.find((option) => option.value === value)
  return (
    <span className={cn('block min-w-0', className)}>
      <SearchList
        label={label}
        options={options}
        value={value}
        onChange={onChange}
        found={found}
        trigger={
          <Base.Trigger
            ref={ref}
            onBlur={onBlur}
            disabled={disabled}
            {...(control ?? { 'aria-label': label })}
            className={choiceBox}
          >
            {chosen?.icon !== undefined && <AppIcon icon={chosen.icon} className="size-5 border-0 p-0" />}
            <span className={cn('min-w-0 flex-1 truncate', chosen === undefined && 'text-ink-3')}>
              {chosen?.title ?? placeholder}
            </span>
            <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-3" />
          </Base.Trigger>
        }
      />
    </span>
  )
}

/** A labeled choice among many options inside a Form, searched by typing. */
export const SearchSelectField = ({
  name,
  label,
  required = false,
  placeholder,
  options,
}: {
  name: string
  label: string
  required?: boolean
  placeholder: string
  options: readonly SearchOption[]
}) => {
  const { value, error, change, ref } = useField(name)
  return (
    <Field label={label} required={required} error={error}>
      {(control) => (
        <SearchSelect
          label={label}
          control={control}
          placeholder={placeholder}
          options={options}
          value={typeof value === 'string' ? value : ''}
          onChange={change}
          ref={ref}
        />
      )}
    </Field>
  )
}

/** The button starts an action and holds no value, so it is not a combobox. */
const menuButton = { role: 'button', 'aria-haspopup': 'dialog' } as const

/**
 * A button that opens a searchable list; choosing an entry acts immediately. `footer` receives the function that closes
 * the list.
 */
export const SearchMenu = ({
  label,
  button,
  options,
  onChoose,
  align = 'end',
  footer,
  emptyText,
}: {
  label: string
  button: ReactElement
  options: readonly SearchOption[]
  onChoose: (value: string) => void
  align?: 'start' | 'end'
  footer?: (close: () => void) => ReactNode
  emptyText?: ReactNode
}) => (
  <SearchList
    label={label}
    options={options}
    value={undefined}
    onChange={onChoose}
    align={align}
    footer={footer}
    emptyText={emptyText}
    trigger={
      <Base.Trigger
        render={button}
        {...menuButton}
        onKeyDown={(event) => {
          // A letter on the closed button would choose the option that begins with it, and the choice would start an
          // action.
          if (event.key.length === 1 && event.key !== ' ') event.preventBaseUIHandler()
        }}
      />
    }
  />
)
