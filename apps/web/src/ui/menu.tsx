import { Menu as Base } from '@base-ui/react/menu'
import { ExternalLink } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { cn } from './cn.ts'
import { Tooltip } from './tooltip.tsx'

const item =
  'flex min-h-7 w-full items-center gap-2 rounded-sm px-2 py-1 text-sm text-ink outline-none select-none data-disabled:text-ink-3 data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-3'

/** A menu below its trigger; scrolls beyond 10rem of list. */
export const Menu = ({
  trigger,
  header,
  children,
  side = 'bottom',
  align = 'start',
}: {
  trigger: ReactElement
  header?: ReactNode
  children: ReactNode
  side?: 'top' | 'bottom' | 'right'
  align?: 'start' | 'end'
}) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner side={side} align={align} sideOffset={6} className="z-50">
        <Base.Popup className="min-w-52 rounded-lg bg-raised p-1 shadow-pop transition duration-100 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0">
          {header !== undefined && <div className="mb-1 border-b border-line px-2 pt-1 pb-2">{header}</div>}
          <div className="max-h-40 overflow-y-auto scroll-thin">{children}</div>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

export type MenuItemProps = {
  icon?: ReactNode
  children: ReactNode
  onSelect?: () => void
  /** Makes the item a link to a page of the application. */
  to?: string
  /** Makes the item a link to another page, opened in a new tab. */
  href?: string
  disabled?: boolean
  /** Why a disabled item cannot be chosen. */
  tooltip?: string
  danger?: boolean
}

/** One entry. A disabled entry does nothing and says why on hover. */
export const MenuItem = ({
  icon,
  children,
  onSelect,
  to,
  href,
  disabled = false,
  tooltip,
  danger = false,
}: MenuItemProps) => {
  const className = cn(item, danger && 'text-danger-ink [&_svg]:text-danger-ink')
  if (to !== undefined && !disabled)
    return (
      <Base.LinkItem className={className} render={<Link to={to} />} closeOnClick>
        {icon}
        {children}
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

export const MenuSeparator = () => <Base.Separator className="my-1 h-px bg-line" />

/** A choice of one inside a menu, as a row of icons; each says its name on hover. */
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
