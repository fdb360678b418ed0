import { Tooltip as Base } from '@base-ui/react/tooltip'
import { createContext, type ReactElement, type ReactNode, useContext, useState } from 'react'

/** Milliseconds and pixels of every tooltip. */
export const tooltipDefaults = {
  offset: 10,
  hideAnimation: 150,
  toggleDelay: 10,
  clickableHideDelay: 100,
} as const

/** Must stand once around the application. */
export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Base.Provider delay={tooltipDefaults.toggleDelay} closeDelay={tooltipDefaults.clickableHideDelay}>
    {children}
  </Base.Provider>
)

type Side = 'top' | 'right' | 'bottom' | 'left'

const Words = ({ side, children }: { side: Side; children: ReactNode }) => (
  <Base.Portal>
    <Base.Positioner sideOffset={tooltipDefaults.offset} side={side} className="z-50">
      <Base.Popup
        style={{ transitionDuration: `${tooltipDefaults.hideAnimation}ms` }}
        className="max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-ink-inverse shadow-pop transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
      >
        {children}
      </Base.Popup>
    </Base.Positioner>
  </Base.Portal>
)

const Shared = createContext<Base.Handle<ReactNode> | null>(null)

/** All tooltips inside are one, which moves: for lists whose many rows come and go, where one a row is half of the work. */
export const SharedTooltip = ({ side = 'top', children }: { side?: Side; children: ReactNode }) => {
  const [handle] = useState(() => Base.createHandle<ReactNode>())
  return (
    <Shared.Provider value={handle}>
      {children}
      <Base.Root handle={handle}>{({ payload }) => <Words side={side}>{payload}</Words>}</Base.Root>
    </Shared.Provider>
  )
}

/** Explains the element it wraps on hover and focus. The words must not be the only name of an icon button. */
export const Tooltip = ({ text, side = 'top', children }: { text: ReactNode; side?: Side; children: ReactElement }) => {
  const shared = useContext(Shared)
  if (shared !== null) return <Base.Trigger handle={shared} payload={text} render={children} />
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Words side={side}>{text}</Words>
    </Base.Root>
  )
}
