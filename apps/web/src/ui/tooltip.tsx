import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

/** Milliseconds and pixels of every tooltip. */
export const tooltipDefaults = {
  offset: 10,
  hideAnimation: 150,
  toggleDelay: 10,
  hoverThrottle: 50,
  clickableHideDelay: 100,
} as const

/** Must stand once around the application. */
export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Base.Provider delay={tooltipDefaults.toggleDelay} closeDelay={tooltipDefaults.clickableHideDelay}>
    {children}
  </Base.Provider>
)

/** Explains the element it wraps on hover and focus. The words must not be the only name of an icon button. */
export const Tooltip = ({
  text,
  side = 'top',
  children,
}: {
  text: ReactNode
  side?: 'top' | 'right' | 'bottom' | 'left'
  children: ReactElement
}) => (
  <Base.Root>
    <Base.Trigger render={children} />
    <Base.Portal>
      <Base.Positioner sideOffset={tooltipDefaults.offset} side={side} className="z-50">
        <Base.Popup
          style={{ transitionDuration: `${tooltipDefaults.hideAnimation}ms` }}
          className="max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-ink-inverse shadow-pop transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          {text}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
