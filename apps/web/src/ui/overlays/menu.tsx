import { Menu as Base } from '@base-ui/react/menu'
import { Check, ExternalLink, Search } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { cn } from '../cn.ts'
import { Tooltip } from './tooltip.tsx'

const item =
  'flex min-h-7 w-full items-center gap-2 rounded-sm px-2 py-1 text-sm text-ink outline-none select-none data-disabled:text-ink-3 data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-3'

type MenuProps = {
  trigger: ReactElement
  header?: ReactNode
  children: ReactNode
  /** Entries below the list, which do not scroll with it. */
  footer?: ReactNode
  /** Adds a search box that filters the entries: its label, and the text that replaces an empty list. */
  search?: { label: string; empty: string }
  side?: 'top' | 'bottom' | 'right'
  align?: 'start' | 'end'
}

const Entries = ({ children, footer }: Pick<MenuProps, 'children' | 'footer'>) => (
  <>
    <div className="max-h-40 overflow-y-auto scroll-thin">{children}</div>
    {footer}
  </>
)

const Searched = ({ label, empty, children }: { label: string; empty: string; children: ReactNode }) => (
  <>
    <span className="relative mb-1 block">
      <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2 size-4 -translate-y-1/2 text-ink-3" />
      <Base.Input
        aria-label={label}
        placeholder={label}
        className="h-8 w-full rounded-sm bg-sunken pr-2 pl-8 text-sm text-ink outline-none placeholder:text-ink-3 max-sm:text-lg"
      />
    </span>
    <Base.Empty className="px-2 py-3 text-center text-sm text-ink-3 empty:hidden">{empty}</Base.Empty>
    <Base.List>{children}</Base.List>
  </>
)

/** A menu below its trigger. A list of more than 10rem scrolls. With `search`, typing filters it. */
export const Menu = ({ trigger, header, children, footer, search, side = 'bottom', align = 'start' }: MenuProps) => {
  const entries = <Entries footer={footer}>{children}</Entries>
  const menu = (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={6} className="z-50">
          <Base.Popup className="max-w-80 min-w-52 rounded-lg bg-raised p-1 shadow-pop transition duration-100 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0">
            {header !== undefined && <div className="mb-1 border-b border-line px-2 pt-1 pb-2">{header}</div>}
            {search === undefined ? entries : <Searched {...search}>{entries}</Searched>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
  return search === undefined ? menu : <Base.FilterProvider autoHighlight>{menu}</Base.FilterProvider>
}

export type MenuItemProps = {
  icon?: ReactNode
  children: ReactNode
  onSelect?: () => void
  /** Makes the item a link to a page of the application. */
  to?: string
  /** The text that is searched for the typed text, if it is not the whole text of the entry. */
  label?: string
  /** The state that the link passes to the page. */
  state?: object
  /** Whether the entry is the current choice: it then has a check mark. If undefined, the menu is not a choice. */
  current?: boolean
  /** Makes the item a link to another page, opened in a new tab. */
  href?: string
  disabled?: boolean
  /** The reason why a disabled entry cannot be chosen. */
  tooltip?: string
  danger?: boolean
}

/** One entry of a menu. A disabled entry does nothing and shows the reason on hover. */
export const MenuItem = ({
  icon,
  children,
  onSelect,
  to,
  label,
  state,
  current,
  href,
  disabled = false,
  tooltip,
  danger = false,
}: MenuItemProps) => {
  const className = cn(item, danger && 'text-danger-ink [&_svg]:text-danger-ink')
  if (to !== undefined && !disabled)
    return (
      <Base.LinkItem
        className={className}
        label={label}
        render={<Link to={to} state={state} />}
        aria-current={current === true ? 'true' : undefined}
        closeOnClick
      >
        {icon}
        {children}
        {current === true && <Check aria-hidden className="ml-auto" />}
      </Base.LinkItem>
    )
  if (href !== undefined && !disabled)
    return (
      <Base.LinkItem className={className} href={href} target="_blank" rel="noreferrer" closeOnClick>
        {icon}
        <span className="flex-1">
          {children}
          <span className="sr-only"> (opens in a new tab)</span>
        </span>
        <ExternalLink aria-hidden />
      </Base.LinkItem>
    )
  const entry = (
    <Base.Item className={className} disabled={disabled} onClick={onSelect}>
      {icon}
      {children}
    </Base.Item>
  )
  return disabled && tooltip !== undefined ? (
    <Tooltip text={tooltip} side="right">
      <span className="block">{entry}</span>
    </Tooltip>
  ) : (
    entry
  )
}

/** Entries under a heading. */
export const MenuGroup = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Base.Group>
    <Base.GroupLabel className="truncate px-2 pt-1.5 pb-1 text-xs font-medium text-ink-3">{heading}</Base.GroupLabel>
    {children}
  </Base.Group>
)

export const MenuSeparator = () => <Base.Separator className="my-1 h-px bg-line" />

/** A choice inside a menu, as a row of icons. Each icon shows its name on hover. */
export const MenuIconRadio = <T extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: string; icon: ReactNode }[]
}) => (
  <Base.RadioGroup
    value={value}
    onValueChange={(next: T) => onChange(next)}
    className="flex min-h-7 items-center gap-0.5 pr-1 pl-2 text-sm"
  >
    <Base.Group className="flex flex-1 items-center gap-0.5">
      <Base.GroupLabel className="flex-1">{label}</Base.GroupLabel>
      {options.map((option) => (
        <Base.RadioItem
          key={option.value}
          value={option.value}
          aria-label={option.label}
          title={option.label}
          className="grid size-6 place-items-center rounded-sm text-ink-3 outline-none select-none data-checked:bg-active data-checked:text-ink data-highlighted:bg-hover [&_svg]:size-4"
        >
          {option.icon}
        </Base.RadioItem>
      ))}
    </Base.Group>
  </Base.RadioGroup>
)
