import { Tooltip as Base } from '@base-ui/react/tooltip'
import { cloneElement, createContext, type ReactElement, type ReactNode, useContext, useEffect, useState } from 'react'

/** The times (ms) and distances (px) of every tooltip. */
export const tooltipDefaults = {
  offset: 10,
  hideAnimation: 150,
  toggleDelay: 10,
  clickableHideDelay: 100,
  /** Minimum time between two moves of a tooltip that follows the pointer through an area (UI-22). */
  hoverThrottle: 50,
} as const

/** Must be rendered once, around the application. */
export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Base.Provider delay={tooltipDefaults.toggleDelay} closeDelay={tooltipDefaults.clickableHideDelay}>
    {children}
  </Base.Provider>
)

type Side = 'top' | 'right' | 'bottom' | 'left'

const Words = ({ side, anchor, children }: { side: Side; anchor?: Element | null; children: ReactNode }) => (
  <Base.Portal>
    <Base.Positioner anchor={anchor} sideOffset={tooltipDefaults.offset} side={side} className="z-50">
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

/**
 * Makes all tooltips inside one single tooltip that moves. For lists with many changing rows: a separate tooltip for
 * each row would double the work.
 */
export const SharedTooltip = ({ side = 'top', children }: { side?: Side; children: ReactNode }) => {
  const [handle] = useState(() => Base.createHandle<ReactNode>())
  return (
    <Shared.Provider value={handle}>
      {children}
      <Base.Root handle={handle}>{({ payload }) => <Words side={side}>{payload}</Words>}</Base.Root>
    </Shared.Provider>
  )
}

const Area = createContext(false)

const tipOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null

/**
 * Shows tooltips for the elements inside, without any cost before the pointer reaches one. Use it for a list whose rows
 * change many times a second. The tooltips contain plain text, and `area` is an element around all of their elements.
 */
export const TooltipArea = ({
  area,
  side = 'top',
  children,
}: {
  area: HTMLElement | null
  side?: Side
  children: ReactNode
}) => {
  const [at, setAt] = useState<HTMLElement | null>(null)
  useEffect(() => {
    if (area === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let hovered: HTMLElement | null = null
    const enter = ({ target }: Event): void => {
      hovered = tipOf(target)
      if (timer !== undefined) return
      setAt(hovered)
      timer = setTimeout(() => {
        timer = undefined
        setAt(hovered)
      }, tooltipDefaults.hoverThrottle)
    }
    const leave = (): void => {
      hovered = null
      setAt(null)
    }
    area.addEventListener('mouseover', enter)
    area.addEventListener('mouseleave', leave)
    return () => {
      clearTimeout(timer)
      area.removeEventListener('mouseover', enter)
      area.removeEventListener('mouseleave', leave)
    }
  }, [area])
  const shown = at?.isConnected === true ? at : null
  return (
    <Area.Provider value>
      {children}
      <Base.Root open={shown !== null} onOpenChange={(open) => !open && setAt(null)}>
        {shown !== null && (
          <Words side={side} anchor={shown}>
            {shown.dataset['tip']}
          </Words>
        )}
      </Base.Root>
    </Area.Provider>
  )
}

/** Explains the element inside on hover and focus. The text must not be the only name of a button with an icon. */
export const Tooltip = ({ text, side = 'top', children }: { text: ReactNode; side?: Side; children: ReactElement }) => {
  const shared = useContext(Shared)
  const inArea = useContext(Area)
  if (inArea && typeof text === 'string')
    return cloneElement(children as ReactElement<{ 'data-tip'?: string }>, { 'data-tip': text })
  if (shared !== null) return <Base.Trigger handle={shared} payload={text} render={children} />
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Words side={side}>{text}</Words>
    </Base.Root>
  )
}
