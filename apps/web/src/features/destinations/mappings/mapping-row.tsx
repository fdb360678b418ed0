import type { DestinationAction, EventMapping } from '@tributary/contract'
import { ArrowDown, ArrowRight, ArrowUp, CircleAlert, Copy, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { Badge } from '../../../ui/badge.tsx'
import { cn } from '../../../ui/cn.ts'
import { Switch } from '../../../ui/forms/switch.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.tsx'
import { mappingContent, mappingFilter, mappingTitle } from './mapping-words.ts'

/** The actions on a row of the list; absent for readers, and while presets are in use. */
export type RowActions = {
  move: (by: -1 | 1) => void
  duplicate: () => void
  remove: () => void
  enable: (enabled: boolean) => void
}

/** The buttons and the menu of a row. */
const RowButtons = ({
  name,
  isFirst,
  isLast,
  actions,
  onOpen,
}: {
  name: string
  isFirst: boolean
  isLast: boolean
  actions: RowActions
  onOpen: () => void
}) => (
  <>
    {/* The button is not disabled at the end of the list, so that it keeps the focus of a keyboard user. */}
    <IconButton
      size="sm"
      label={`Move ${name} up`}
      icon={ArrowUp}
      aria-disabled={isFirst}
      onClick={() => actions.move(-1)}
    />
    <IconButton
      size="sm"
      label={`Move ${name} down`}
      icon={ArrowDown}
      aria-disabled={isLast}
      onClick={() => actions.move(1)}
    />
    <Menu align="end" trigger={<IconButton size="sm" label={`More for ${name}`} icon={Ellipsis} />}>
      <MenuItem icon={<Pencil />} onSelect={onOpen}>
        Edit
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={actions.duplicate}>
        Duplicate
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger onSelect={actions.remove}>
        Delete
      </MenuItem>
    </Menu>
  </>
)

/** One event mapping of the list: its events, its action, and its position. */
export const MappingRow = ({
  mapping,
  position,
  count,
  action,
  problem,
  actions,
  onOpen,
}: {
  mapping: EventMapping
  /** Position in the list, starting with 1. */
  position: number
  count: number
  action: DestinationAction | undefined
  problem: string | undefined
  actions: RowActions | undefined
  onOpen: () => void
}) => {
  const title = mappingTitle(mapping)
  const filter = mappingFilter(mapping)
  const name = `${title} (${position})`
  return (
    <li
      aria-label={name}
      className="group relative flex items-start gap-3 px-4 py-3 first:rounded-t-lg last:rounded-b-lg has-[[data-open]:hover]:bg-hover max-sm:flex-wrap"
    >
      <span aria-hidden className="mt-0.5 w-5 shrink-0 text-right text-xs text-ink-3 tabular">
        {position}
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <button
            type="button"
            data-open
            className="min-w-0 rounded-sm text-left font-medium break-words after:absolute after:inset-0"
            onClick={onOpen}
          >
            {title}
          </button>
          {mapping.event_type !== '' && <Badge>{mapping.event_type}</Badge>}
          {!mapping.enabled && <Badge tone="outline">Off</Badge>}
          <ArrowRight aria-label="to" className="size-3.5 shrink-0 text-ink-3" />
          <span className="text-ink">{action?.title ?? mapping.destination}</span>
          <span className="text-xs text-ink-3">{mappingContent(mapping, action)}</span>
        </div>
        {filter !== '' && <p className="mt-0.5 text-xs break-words text-ink-2">where {filter}</p>}
        {problem !== undefined && (
          <p className="mt-1 flex items-start gap-1.5 text-xs text-danger-ink">
            <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span className="min-w-0 break-words">{problem}</span>
          </p>
        )}
      </div>
      {/* The buttons are higher than the line of the title, and their centers meet. */}
      <div className={cn('relative ml-auto flex shrink-0 items-center gap-1', actions !== undefined && 'sm:-my-1')}>
        {actions !== undefined && (
          <RowButtons
            name={name}
            isFirst={position === 1}
            isLast={position === count}
            actions={actions}
            onOpen={onOpen}
          />
        )}
        <span className="ml-2 flex">
          <Switch
            checked={mapping.enabled}
            disabled={actions === undefined}
            label={`Use ${name}`}
            onChange={(enabled) => actions?.enable(enabled)}
          />
        </span>
      </div>
    </li>
  )
}
