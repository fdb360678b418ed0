import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

/** A small panel beside its trigger, for short texts. Closes on Escape and on a click outside. */
export const Popover = ({
  trigger,
  title,
  action,
  open,
  onOpenChange,
  side = 'bottom',
  align = 'start',
  children,
}: {
  trigger: ReactElement
  title: string
  action?: ReactNode
  open: boolean
  onOpenChange: (open: boolean) => void
  side?: 'top' | 'bottom' | 'right'
  align?: 'start' | 'end'
  children: ReactNode
}) => (
  <Base.Root open={open} onOpenChange={onOpenChange}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner side={side} align={align} sideOffset={6} collisionPadding={8} className="z-50">
        <Base.Popup className="flex max-h-[min(32rem,var(--available-height))] w-[min(24rem,calc(100vw-1rem))] flex-col rounded-lg bg-raised shadow-pop transition duration-100 outline-none data-ending-style:opacity-0 data-starting-style:opacity-0">
          <div className="flex min-h-11 items-center gap-3 border-b border-line px-4 py-2">
            <Base.Title className="min-w-0 flex-1 text-sm font-semibold">{title}</Base.Title>
            {action}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto scroll-thin">{children}</div>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
